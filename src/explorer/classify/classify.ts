/**
 * Recognises x402 payments among the transactions of a network. The ledger has no mark for them: a payment is recognised
 * by who calls what on whose authorization, and by what the token reports.
 */
import type { SchemeName } from '../../payments/protocol/schemes.ts'
import { classicAssetOf } from '../../stellar/contracts/asset-contract.ts'
import { mayCall } from '../../stellar/history/may-call.ts'
import { type ScannedEnvelope, scanEnvelope } from '../../stellar/history/scan/scan-envelope.ts'
import type { ScannedCall, ScannedOperation } from '../../stellar/history/scan/scan-operation.ts'
import {
  contractEvents,
  envelopeBytes,
  metaBytes,
  scanResult,
} from '../../stellar/history/transaction-members.ts'
import { usedNonces } from '../../stellar/history/used-nonces.ts'
import type { RawTransaction } from '../../stellar/rpc/pages/transaction-pages.ts'
import type { ObservedPayment, SkipReason } from '../observed-payment.ts'
import { checkTransfer } from './check-transfer.ts'
import { exact } from './exact.ts'
import type { ObservedScheme, TrustedContracts } from './observed-scheme.ts'
import type { PaymentTerms, TermsOrReason } from './payment-terms.ts'
import { upto } from './upto.ts'

const schemes: Readonly<Record<SchemeName, ObservedScheme>> = { exact, upto }

export interface ClassifyOptions extends TrustedContracts {
  /** The network passphrase. */
  readonly passphrase: string
  /** `C...`; payments of other assets are skipped. */
  readonly watchedAssets: 'all' | ReadonlySet<string>
}

/** `no_call`: the transaction is no call, or nothing in it is named as a function that pays; most are. */
export type Classification =
  | { readonly payment: ObservedPayment }
  | { readonly skipped: SkipReason }
  | 'no_call'

const mayPay = mayCall(Object.values(schemes).map(({ functionName }) => functionName))

/**
 * Says whether a transaction is an x402 payment. Never throws: what cannot be read is skipped as `unreadable`. That the
 * hash is the envelope's is checked of whole pages (`RpcPool`), so that another endpoint is asked when it is not.
 */
export function classifyTransaction(
  transaction: RawTransaction,
  options: ClassifyOptions,
): Classification {
  try {
    if (!mayPay(transaction.raw)) return 'no_call'
    const envelope = scanEnvelope(envelopeBytes(transaction.raw))
    return classifyEnvelope(transaction, envelope, options)
  } catch {
    return { skipped: 'unreadable' }
  }
}

function classifyEnvelope(
  transaction: RawTransaction,
  envelope: ScannedEnvelope,
  options: ClassifyOptions,
): Classification {
  const [operation, ...others] = envelope.operations
  if (!operation || others.length > 0) return { skipped: 'not_one_call' }
  const { call } = operation
  // A contract's constructor can spend an authorization too.
  if (!call) return operation.signers.length > 0 ? { skipped: 'other_function' } : 'no_call'
  const terms = checkedTerms({ ...operation, call }, envelope, transaction, options)
  if (typeof terms === 'string') return { skipped: terms }
  const events = contractEvents(transaction.raw)
  const transfer = checkTransfer(terms, events)
  if (typeof transfer === 'string') return { skipped: transfer }
  const contradiction = schemes[terms.scheme].contradictionIn?.(terms, call.contract, events)
  if (contradiction) return { skipped: contradiction }
  const { feeCharged, isSuccess } = scanResult(transaction.raw)
  if (!isSuccess) return { skipped: 'unreadable' }
  const { passphrase } = options
  const { assetName } = transfer
  const classic =
    assetName === undefined ? undefined : classicAssetOf(terms.asset, assetName, passphrase)
  if (!classic && schemes[terms.scheme].isCallSigned && !hasUsed(operation, terms, transaction)) {
    return { skipped: 'not_authorized_by_sender' }
  }
  const muxedId = terms.muxedId ?? transfer.muxedId
  const signer = signerOf(operation, terms.buyer)
  const payment: ObservedPayment = {
    ...terms,
    ledger: transaction.ledger,
    closedAt: transaction.createdAt,
    txHash: transaction.txHash,
    txSource: envelope.source,
    feeCharged,
    ...(classic && { classic }),
    ...(envelope.feeSource !== undefined && { feeSource: envelope.feeSource }),
    ...(signer && { sigExpirationLedger: signer.expirationLedger }),
    ...(envelope.memo !== undefined && { memo: withoutNulls(envelope.memo) }),
    ...(muxedId !== undefined && { muxedId }),
  }
  return { payment }
}

function checkedTerms(
  operation: ScannedOperation & { readonly call: ScannedCall },
  envelope: ScannedEnvelope,
  { status }: RawTransaction,
  { watchedAssets, ...trusted }: ClassifyOptions,
): TermsOrReason {
  const { call } = operation
  const scheme = schemeOf(call, trusted)
  if (!scheme) return 'other_function'
  if (status !== 'SUCCESS') return 'failed'
  const terms = scheme.readTerms(call)
  if (typeof terms === 'string') return terms
  if (watchedAssets !== 'all' && !watchedAssets.has(terms.asset)) return 'unwatched_asset'
  const sources = [operation.source, envelope.source, envelope.feeSource]
  if (sources.includes(terms.buyer)) return 'sent_by_its_sender'
  const isAuthorized = !scheme.isCallSigned || signerOf(operation, terms.buyer) !== undefined
  return isAuthorized ? terms : 'not_authorized_by_sender'
}

/**
 * Whether the buyer's authorization of the call was used. The contract of a classic asset moves nothing without it; any
 * other contract may report a transfer beside an entry that nobody signed, which the host then ignores.
 */
function hasUsed(
  { signers, call }: ScannedOperation,
  { buyer }: PaymentTerms,
  { raw }: RawTransaction,
): boolean {
  const meta = metaBytes(raw)
  if (!meta) return false
  const { used } = usedNonces(meta, buyer)
  return signers.some(
    ({ address, nonce, call: authorized }) =>
      address === buyer &&
      used.has(nonce) &&
      authorized?.contract === call?.contract &&
      authorized?.functionName === call?.functionName,
  )
}

const signerOf = ({ signers }: ScannedOperation, buyer: string) =>
  signers.find(({ address }) => address === buyer)

const schemeOf = ({ contract, functionName }: ScannedCall, trusted: TrustedContracts) =>
  Object.values(schemes).find(
    (scheme) =>
      scheme.functionName === functionName && (scheme.isTrusted?.(contract, trusted) ?? true),
  )

/** Text of Postgres has no zero characters, but a memo may. */
const withoutNulls = (memo: string): string => memo.replaceAll('\0', '\u{fffd}')
