/**
 * Payments in the scheme `upto` for a running network, built with the Stellar SDK. Every part has a default and can be
 * replaced, so a test can send whatever a client could.
 */
import { randomBytes } from 'node:crypto'
import { Address, type Keypair, xdr } from '@stellar/stellar-sdk'
import { UPTO_PROFILE, UPTO_SCHEME } from '../../src/payments/schemes/upto/terms.ts'
import {
  addressValue,
  bodyOf,
  i128,
  invocationOf,
  type PaymentBody,
  type PaymentDraft,
  type SigningNetwork,
  transactionOf,
  usdc,
  type Wallet,
} from './payments.ts'
import { signEntry } from './sign-entry.ts'

type Members = Record<string, unknown>

/** The contract and the authority, as `/supported` names them. */
export interface UptoService {
  /** `C...` */
  readonly contract: string
  /** `G...` */
  readonly authority: string
}

/** A call of `settle`, argument by argument; a test replaces any of them. */
interface SettleCall {
  readonly contract: string
  readonly functionName: string
  readonly token: string
  readonly from: string
  readonly to: string
  readonly ceiling: bigint
  readonly expirationLedger: number
  readonly nonce: Uint8Array
  /** What the client fills in; the facilitator replaces it. */
  readonly actual: bigint
  readonly authority: string
}

export interface UptoPlan {
  readonly payer: Wallet
  readonly payTo: string
  /** What the payer signs, base units. @default 100_000n */
  readonly ceiling?: bigint
  /** `amount` of the requirements. @default the ceiling, as at `/verify` */
  readonly amount?: bigint
  /** Contract. @default USDC */
  readonly asset?: string
  /** @default 60 */
  readonly maxTimeoutSeconds?: number
  /** Form of the credentials. @default V2 */
  readonly version?: 'V1' | 'V2'
  /** Of the entry: the host's. @default a random one */
  readonly entryNonce?: bigint
  /** 32 bytes: the contract's. @default random ones */
  readonly nonce?: Uint8Array
  /** @default ten ledgers from now */
  readonly expirationLedger?: number
  /** Of the entry's signature. @default the call's */
  readonly entryExpirationLedger?: number
  /** Parts in which the call of the operation differs from the required one; what the payer signs stays. */
  readonly call?: Partial<SettleCall>
  /** Parts in which what the payer signs differs. */
  readonly signed?: Partial<SettleCall>
  /** Parts in which the allowance that the payer signs differs. */
  readonly approve?: Partial<SettleCall> & { readonly spender?: string; readonly name?: string }
  /** @default the payer's key */
  readonly signer?: Keypair
  /** In requirements and accepted entry alike. */
  readonly terms?: Members
  /** In `extra` of both. */
  readonly extra?: Members
  /** In the accepted entry alone. */
  readonly accepted?: Members
  /** In the payload, beside the transaction. */
  readonly payload?: Members
  /** Changes the entry before the payer signs it. */
  readonly beforeSigning?: PaymentDraftChange<PaymentDraft['entry']>
  /** Changes anything after all signatures are made. */
  readonly afterwards?: PaymentDraftChange<PaymentDraft>
}

type PaymentDraftChange<T> = (part: T) => void

/** A signed payment as the body of `/verify` and `/settle`. */
export async function uptoPayment(
  localnet: SigningNetwork,
  service: UptoService,
  plan: UptoPlan,
): Promise<PaymentBody> {
  const draft = await draftUptoPayment(localnet, service, plan)
  plan.afterwards?.(draft)
  return bodyOf(draft)
}

/** The same payment, to settle so much of it. */
export const settleOf = (body: PaymentBody, amount: bigint | string): PaymentBody => ({
  ...body,
  paymentRequirements: { ...body.paymentRequirements, amount: amount.toString() },
})

/** A signed payment in parts. */
export async function draftUptoPayment(
  localnet: SigningNetwork,
  service: UptoService,
  plan: UptoPlan,
): Promise<PaymentDraft> {
  const terms = termsOf(localnet, service, plan)
  const entry = await signedUptoEntry(localnet, plan, terms)
  const call = settleCallOf({ ...terms, ...plan.call })
  const invocation = new xdr.InvokeHostFunctionOp({
    hostFunction: xdr.HostFunction.hostFunctionTypeInvokeContract(call),
    auth: [entry],
  })
  const operation = new xdr.Operation({
    sourceAccount: null,
    body: xdr.OperationBody.invokeHostFunction(invocation),
  })
  return {
    body: requestOf(service, plan, terms),
    transaction: transactionOf([operation]),
    signatures: [],
    operation,
    invocation,
    call,
    entry,
    credentials: credentialsIn(entry),
  }
}

const termsOf = (
  { network }: SigningNetwork,
  service: UptoService,
  plan: UptoPlan,
): SettleCall => ({
  contract: service.contract,
  functionName: 'settle',
  token: plan.asset ?? usdc,
  from: plan.payer.address,
  to: plan.payTo,
  ceiling: plan.ceiling ?? 100_000n,
  expirationLedger: plan.expirationLedger ?? network.latest.sequence + 10,
  nonce: plan.nonce ?? randomBytes(32),
  actual: 0n,
  authority: service.authority,
})

/** A new object each time: a draft may change its own without changing what was signed. */
const settleCallOf = (terms: SettleCall): xdr.InvokeContractArgs =>
  new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(terms.contract).toScAddress(),
    functionName: terms.functionName,
    args: [
      addressValue(terms.token),
      addressValue(terms.from),
      addressValue(terms.to),
      i128(terms.ceiling),
      xdr.ScVal.scvU32(terms.expirationLedger),
      xdr.ScVal.scvBytes(terms.nonce),
      i128(terms.actual),
      addressValue(terms.authority),
    ],
  })

/** What the payer signs: the tuple, and the allowance below it. */
function signedInvocation(plan: UptoPlan, terms: SettleCall): xdr.SorobanAuthorizedInvocation {
  const signed = { ...terms, ...plan.signed }
  const [token, , to, ceiling, expiration, nonce, , authority] = settleCallOf(signed).args
  const { contractAddress, functionName } = settleCallOf(signed)
  const tuple = [token, to, ceiling, expiration, nonce, authority] as xdr.ScVal[]
  const allowed = { ...signed, ...plan.approve }
  const approve = new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(allowed.token).toScAddress(),
    functionName: plan.approve?.name ?? 'approve',
    args: [
      addressValue(allowed.from),
      addressValue(plan.approve?.spender ?? allowed.contract),
      i128(allowed.ceiling),
      xdr.ScVal.scvU32(allowed.expirationLedger),
    ],
  })
  const root = new xdr.InvokeContractArgs({ contractAddress, functionName, args: tuple })
  return invocationOf(root, [invocationOf(approve)])
}

/** The payer's authorization of the planned terms. */
async function signedUptoEntry(
  { network }: SigningNetwork,
  plan: UptoPlan,
  terms: SettleCall,
): Promise<PaymentDraft['entry']> {
  const expirationLedger = plan.entryExpirationLedger ?? terms.expirationLedger
  const credentials = new xdr.SorobanAddressCredentials({
    address: Address.fromString(plan.payer.address).toScAddress(),
    nonce: plan.entryNonce ?? randomBytes(8).readBigInt64BE(),
    signatureExpirationLedger: expirationLedger,
    signature: xdr.ScVal.scvVoid(),
  })
  const unsigned = new xdr.SorobanAuthorizationEntry({
    credentials:
      plan.version === 'V1'
        ? xdr.SorobanCredentials.sorobanCredentialsAddress(credentials)
        : xdr.SorobanCredentials.sorobanCredentialsAddressV2(credentials),
    rootInvocation: signedInvocation(plan, terms),
  })
  plan.beforeSigning?.(unsigned)
  return signEntry(unsigned, plan.signer ?? plan.payer.key, {
    expirationLedger: credentialsIn(unsigned).signatureExpirationLedger,
    passphrase: network.passphrase,
  })
}

function credentialsIn({ credentials }: xdr.SorobanAuthorizationEntry) {
  switch (credentials.type) {
    case 'sorobanCredentialsAddress':
      return credentials.address
    case 'sorobanCredentialsAddressV2':
      return credentials.addressV2
    default:
      throw new TypeError(`not the credentials of an address: ${credentials.type}`)
  }
}

function requestOf(service: UptoService, plan: UptoPlan, terms: SettleCall): PaymentBody {
  const { payTo, asset = usdc, maxTimeoutSeconds = 60 } = plan
  const ceiling = terms.ceiling.toString()
  const requirements = (amount: string): Members => ({
    scheme: UPTO_SCHEME,
    network: 'stellar:testnet',
    asset,
    payTo,
    amount,
    maxTimeoutSeconds,
    extra: {
      areFeesSponsored: true,
      profile: UPTO_PROFILE,
      uptoContract: service.contract,
      authority: service.authority,
      ...plan.extra,
    },
    ...plan.terms,
  })
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      resource: { url: 'https://seller.example/metered', description: 'A metered answer' },
      accepted: { ...requirements(ceiling), ...plan.accepted },
      payload: {
        maxAmount: ceiling,
        expirationLedger: terms.expirationLedger,
        nonce: Buffer.from(terms.nonce).toString('hex'),
        ...plan.payload,
      },
    },
    paymentRequirements: requirements((plan.amount ?? terms.ceiling).toString()),
  }
}
