/**
 * Payments in the `exact` scheme for a running network, built with the Stellar SDK as a client does.
 * Every part has a default and can be replaced, so a test can send whatever a client could.
 */
import { randomBytes } from 'node:crypto'
import {
  Address,
  encodeMuxedAccountToAddress,
  Keypair,
  nativeToScVal,
  xdr,
} from '@stellar/stellar-sdk'
import type { LocalnetServer } from '../../src/localnet/server/server.ts'
import { usdcContracts } from '../../src/platform/core/caip2.ts'
import { signEntry } from './sign-entry.ts'

type Network = Pick<LocalnetServer, 'network' | 'pay'>
/** The properties of a network that a payment needs. */
export interface SigningNetwork {
  readonly network: { readonly latest: { readonly sequence: number }; readonly passphrase: string }
}
type Members = Record<string, unknown>
/** Makes XDR values mutable: the SDK declares them read-only, but tests change them. */
type Open<T> = { -readonly [Member in keyof T]: T[Member] }

/** Who pays: a `G...` account, or a `C...` smart account and the key of its owner. */
export interface Wallet {
  readonly address: string
  readonly key: Keypair
}

export interface PaymentPlan {
  readonly payer: Wallet
  readonly payTo: string
  /** Base units. @default 100_000n, a hundredth */
  readonly amount?: bigint
  /** Contract. @default USDC */
  readonly asset?: string
  /** @default 60 */
  readonly maxTimeoutSeconds?: number
  /** Form of the credentials. @default V2 */
  readonly version?: 'V1' | 'V2'
  /** @default a random one */
  readonly nonce?: bigint
  /** @default ten ledgers from now */
  readonly expirationLedger?: number
  /** Parts in which the call differs from a transfer as required. */
  readonly call?: Partial<Call>
  /** @default the payer's key */
  readonly signer?: Keypair
  /** In requirements and accepted entry alike. */
  readonly terms?: Members
  /** In the accepted entry alone. */
  readonly accepted?: Members
  /** Changes the entry before the payer signs it. */
  readonly beforeSigning?: (entry: Open<xdr.SorobanAuthorizationEntry>) => void
  /** Changes anything after all signatures are made. */
  readonly afterwards?: (draft: PaymentDraft) => void
}

interface Call {
  readonly contract: string
  readonly functionName: string
  readonly args: xdr.ScVal[]
}

export interface PaymentBody {
  x402Version: number
  paymentPayload: { x402Version: number; accepted: Members; payload: Members } & Members
  paymentRequirements: Members
}

/** A signed payment in parts; a test changes them before they are sent. */
export interface PaymentDraft {
  readonly body: PaymentBody
  /** Unsigned, as stock clients leave it; the entries in it are the payer's. */
  readonly transaction: Open<xdr.Transaction>
  /** Signatures of the envelope, of which a client needs none. */
  readonly signatures: xdr.DecoratedSignature[]
  readonly operation: Open<xdr.Operation>
  readonly invocation: Open<xdr.InvokeHostFunctionOp>
  readonly call: Open<xdr.InvokeContractArgs>
  readonly entry: Open<xdr.SorobanAuthorizationEntry>
  readonly credentials: Open<xdr.SorobanAddressCredentials>
}

export const usdc = usdcContracts['stellar:testnet']
export const addressValue = (address: string): xdr.ScVal =>
  nativeToScVal(address, { type: 'address' })
export const i128 = (value: bigint): xdr.ScVal => nativeToScVal(value, { type: 'i128' })

/** The `M...` address of an account with an id, as a custodian gives it to a customer. */
export const muxed = (address: string, id = 42n): string =>
  encodeMuxedAccountToAddress(
    xdr.MuxedAccount.keyTypeMuxedEd25519(
      new xdr.MuxedAccountMed25519({
        id,
        ed25519: Keypair.fromPublicKey(address).rawPublicKey(),
      }),
    ),
  )

/** An account with USDC; `none` has no trustline, and `nowhere` does not exist on the ledger. */
export async function openWallet(
  localnet: Network,
  holding: bigint | 'none' | 'nowhere' = 100_000_000n,
): Promise<Wallet> {
  const key = Keypair.random()
  const address = key.publicKey()
  if (holding === 'none') await localnet.pay({ address, asset: 'XLM', amount: 100_000_000n })
  if (typeof holding === 'bigint') await localnet.pay({ address, asset: 'USDC', amount: holding })
  return { address, key }
}

/** A signed payment as the body of `/verify` and `/settle`. */
export async function payment(localnet: SigningNetwork, plan: PaymentPlan): Promise<PaymentBody> {
  const draft = await draftPayment(localnet, plan)
  plan.afterwards?.(draft)
  return bodyOf(draft)
}

/** Encodes the draft. A transaction that was put into the body stays. */
export function bodyOf({ body, transaction: tx, signatures }: PaymentDraft): PaymentBody {
  const { payload } = body.paymentPayload
  if (!('transaction' in payload)) {
    const envelope = new xdr.TransactionV1Envelope({ tx, signatures })
    payload['transaction'] = xdr.TransactionEnvelope.envelopeTypeTx(envelope).toXdr('base64')
  }
  return body
}

export async function draftPayment(
  localnet: SigningNetwork,
  plan: PaymentPlan,
): Promise<PaymentDraft> {
  const entry = await signedEntry(localnet, plan)
  const call = callOf(plan)
  const invocation = new xdr.InvokeHostFunctionOp({
    hostFunction: xdr.HostFunction.hostFunctionTypeInvokeContract(call),
    auth: [entry],
  })
  const operation = new xdr.Operation({
    sourceAccount: null,
    body: xdr.OperationBody.invokeHostFunction(invocation),
  })
  return {
    body: requestOf(plan),
    transaction: transactionOf([operation]),
    signatures: [],
    operation,
    invocation,
    call,
    entry,
    credentials: credentialsOf(entry),
  }
}

/** The payer's authorization of the planned call. */
export async function signedEntry(
  { network }: SigningNetwork,
  plan: PaymentPlan,
): Promise<xdr.SorobanAuthorizationEntry> {
  const expirationLedger = plan.expirationLedger ?? network.latest.sequence + 10
  const unsigned = unsignedEntry(plan, expirationLedger)
  plan.beforeSigning?.(unsigned)
  return signEntry(unsigned, plan.signer ?? plan.payer.key, {
    expirationLedger: credentialsOf(unsigned).signatureExpirationLedger,
    passphrase: network.passphrase,
  })
}

export function unsignedEntry(
  plan: PaymentPlan,
  expirationLedger: number,
): xdr.SorobanAuthorizationEntry {
  const credentials = new xdr.SorobanAddressCredentials({
    address: Address.fromString(plan.payer.address).toScAddress(),
    nonce: plan.nonce ?? randomBytes(8).readBigInt64BE(),
    signatureExpirationLedger: expirationLedger,
    signature: xdr.ScVal.scvVoid(),
  })
  return new xdr.SorobanAuthorizationEntry({
    credentials:
      plan.version === 'V1'
        ? xdr.SorobanCredentials.sorobanCredentialsAddress(credentials)
        : xdr.SorobanCredentials.sorobanCredentialsAddressV2(credentials),
    rootInvocation: invocationOf(callOf(plan)),
  })
}

export const invocationOf = (
  call: xdr.InvokeContractArgs,
  subInvocations: xdr.SorobanAuthorizedInvocation[] = [],
): xdr.SorobanAuthorizedInvocation =>
  new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
    subInvocations,
  })

/** A new object each time: a draft may change its own without changing what was signed. */
export const callOf = (plan: PaymentPlan): xdr.InvokeContractArgs => {
  const { payer, payTo, amount = 100_000n, asset = usdc, call = {} } = plan
  return new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(call.contract ?? asset).toScAddress(),
    functionName: call.functionName ?? 'transfer',
    args: call.args ?? [addressValue(payer.address), addressValue(payTo), i128(amount)],
  })
}

function credentialsOf({
  credentials,
}: xdr.SorobanAuthorizationEntry): xdr.SorobanAddressCredentials {
  switch (credentials.type) {
    case 'sorobanCredentialsAddress':
      return credentials.address
    case 'sorobanCredentialsAddressV2':
      return credentials.addressV2
    default:
      throw new TypeError(`not the credentials of an address: ${credentials.type}`)
  }
}

/** From the all-zero account, as stock clients name it. */
export const transactionOf = (operations: xdr.Operation[]): xdr.Transaction =>
  new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(new Uint8Array(32)),
    fee: 100,
    seqNum: 1n,
    cond: xdr.Preconditions.precondTime(new xdr.TimeBounds({ minTime: 0n, maxTime: 0n })),
    memo: xdr.Memo.memoNone(),
    operations,
    ext: xdr.TransactionExt.v0(),
  })

function requestOf(plan: PaymentPlan): PaymentBody {
  const { payTo, amount = 100_000n, asset = usdc, maxTimeoutSeconds = 60 } = plan
  const requirements = (): Members => ({
    scheme: 'exact',
    network: 'stellar:testnet',
    asset,
    payTo,
    amount: amount.toString(),
    maxTimeoutSeconds,
    extra: { areFeesSponsored: true },
    ...plan.terms,
  })
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      resource: { url: 'https://seller.example/report', description: 'A report' },
      accepted: { ...requirements(), ...plan.accepted },
      payload: {},
    },
    paymentRequirements: requirements(),
  }
}
