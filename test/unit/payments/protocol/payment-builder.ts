import {
  Account,
  Address,
  authorizeEntry,
  Keypair,
  Operation,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import type { PaymentPolicy } from '../../../../src/payments/protocol/policy.ts'
import type { PaymentRequest } from '../../../../src/payments/protocol/protocol.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { passphrases, usdcContracts } from '../../../../src/platform/core/caip2.ts'

export const passphrase = passphrases['stellar:testnet']
export const asset = usdcContracts['stellar:testnet']
export const otherContract = usdcContracts['stellar:pubnet']

export const keyOf = (n: number): Keypair => Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(n))
export const payerKey = keyOf(1)
export const payer = payerKey.publicKey()
export const seller = keyOf(2).publicKey()
export const sponsor = keyOf(3).publicKey()
export const channel = keyOf(4).publicKey()
export const smartAccount = 'CA3D5KRYM6CB7OWQ6TWYRR3Z4T7GNZLKERYNZGGA5SOAOPIFY6YQGAXE'
/** What stock clients name as source. */
export const nullAccount = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF'

export const policy: PaymentPolicy = {
  network: 'stellar:testnet',
  passphrase,
  assets: new Map([
    [asset, { contract: asset, symbol: 'USDC', decimals: 7, min: 10n, max: 10n ** 9n }],
  ]),
  isOwnAccount: (address) => address === sponsor || address === channel,
  maxTxFeeStroops: asStroops(300_000n),
  expirationMarginLedgers: 1,
  timeoutMinSeconds: 10,
  timeoutMaxSeconds: 300,
}

const requirements = {
  scheme: 'exact',
  network: 'stellar:testnet',
  asset,
  payTo: seller,
  amount: '100000',
  maxTimeoutSeconds: 60,
  extra: { areFeesSponsored: true },
}

export const addressValue = (address: string): xdr.ScVal => Address.fromString(address).toScVal()
export const i128 = (value: bigint): xdr.ScVal =>
  xdr.ScVal.scvI128(new xdr.Int128Parts({ hi: value >> 64n, lo: BigInt.asUintN(64, value) }))

export interface CallOptions {
  contract?: string
  functionName?: string
  args?: xdr.ScVal[]
}

export const callOf = ({
  contract = asset,
  functionName = 'transfer',
  args = [addressValue(payer), addressValue(seller), i128(100_000n)],
}: CallOptions = {}): xdr.InvokeContractArgs =>
  new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(contract).toScAddress(),
    functionName,
    args,
  })

export interface EntryOptions {
  address?: string
  version?: 'V1' | 'V2'
  nonce?: bigint
  expirationLedger?: number
  call?: xdr.InvokeContractArgs
  subInvocations?: xdr.SorobanAuthorizedInvocation[]
  signature?: xdr.ScVal
}

const invocationOf = (
  call: xdr.InvokeContractArgs,
  subInvocations: xdr.SorobanAuthorizedInvocation[] = [],
): xdr.SorobanAuthorizedInvocation =>
  new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
    subInvocations,
  })

export function unsignedEntry({
  address = payer,
  version = 'V2',
  nonce = 7n,
  expirationLedger = 1_010,
  call = callOf(),
  subInvocations = [],
  signature = xdr.ScVal.scvVoid(),
}: EntryOptions = {}): xdr.SorobanAuthorizationEntry {
  const credentials = new xdr.SorobanAddressCredentials({
    address: Address.fromString(address).toScAddress(),
    nonce,
    signatureExpirationLedger: expirationLedger,
    signature,
  })
  return new xdr.SorobanAuthorizationEntry({
    credentials:
      version === 'V2'
        ? xdr.SorobanCredentials.sorobanCredentialsAddressV2(credentials)
        : xdr.SorobanCredentials.sorobanCredentialsAddress(credentials),
    rootInvocation: invocationOf(call, subInvocations),
  })
}

export const signedEntry = (
  options: EntryOptions = {},
  key: Keypair = payerKey,
): Promise<xdr.SorobanAuthorizationEntry> =>
  authorizeEntry(
    unsignedEntry(options),
    async (_preimage, payload) => ({ signature: key.sign(payload), publicKey: key.publicKey() }),
    options.expirationLedger ?? 1_010,
    passphrase,
  )

export interface TransactionOptions {
  source?: string
  operationSource?: string
  call?: xdr.InvokeContractArgs
  auth?: xdr.SorobanAuthorizationEntry[]
  change?: (builder: TransactionBuilder) => TransactionBuilder
}

/** Base64 envelope as a client would hand it over, unsigned. */
export async function transaction(options: TransactionOptions = {}): Promise<string> {
  const call = options.call ?? callOf()
  const auth = options.auth ?? [await signedEntry({ call })]
  const builder = new TransactionBuilder(new Account(options.source ?? nullAccount, '0'), {
    fee: '100',
    networkPassphrase: passphrase,
  })
    .setTimeout(60)
    .addOperation(
      Operation.invokeHostFunction({
        func: xdr.HostFunction.hostFunctionTypeInvokeContract(call),
        auth,
        ...(options.operationSource && { source: options.operationSource }),
      }),
    )
  return (options.change?.(builder) ?? builder).build().toEnvelope().toXdr('base64')
}

type Overrides = Readonly<Record<string, unknown>>

export interface RequestOptions {
  transaction?: unknown
  /** Of the requirements and of what the client accepted alike. */
  terms?: Overrides
  /** Of what the client accepted alone. */
  accepted?: Overrides
  x402Version?: number
  payloadVersion?: number
}

export async function request(options: RequestOptions = {}): Promise<PaymentRequest> {
  const paymentRequirements = { ...requirements, ...options.terms }
  return {
    x402Version: options.x402Version ?? 2,
    paymentPayload: {
      x402Version: options.payloadVersion ?? 2,
      accepted: { ...paymentRequirements, ...options.accepted },
      payload: {
        transaction: 'transaction' in options ? options.transaction : await transaction(),
      },
    },
    paymentRequirements,
  }
}

/** A payment of a smart account; its contract defines the form of the signature. */
export async function smartAccountTransaction(
  signature: xdr.ScVal = xdr.ScVal.scvBytes(new Uint8Array(64)),
  further: xdr.SorobanAuthorizationEntry[] = [],
): Promise<string> {
  const call = callOf({
    args: [addressValue(smartAccount), addressValue(seller), i128(100_000n)],
  })
  const own = unsignedEntry({ address: smartAccount, call, signature })
  return transaction({ call, auth: [own, ...further] })
}
