/** The outcome of a transaction, and its encoding as TransactionResult. */
import { xdr } from '@stellar/stellar-sdk'
import type { Envelope } from '../envelope.ts'

/** Result codes without operation results. */
export type TransactionErrorCode = Exclude<
  xdr.TransactionResultResultVariantName,
  'txSuccess' | 'txFailed' | 'txFeeBumpInnerSuccess' | 'txFeeBumpInnerFailed'
>

export type TransactionOutcome =
  | { readonly code: 'txSuccess' | 'txFailed'; readonly operations: readonly xdr.OperationResult[] }
  | { readonly code: TransactionErrorCode }

export type EnvelopeOutcome =
  /** The fee bump itself is invalid; its inner transaction was not checked. */
  | { readonly at: 'feeBump'; readonly code: TransactionErrorCode }
  | { readonly at: 'transaction'; readonly inner: TransactionOutcome }

export const isSuccess = (outcome: EnvelopeOutcome): boolean =>
  outcome.at === 'transaction' && outcome.inner.code === 'txSuccess'

/** TransactionResult XDR. The fee inside a fee bump's inner result is 0 from protocol 25 on. */
export function encodeResult(
  { feeBump, transaction }: Envelope,
  outcome: EnvelopeOutcome,
  feeCharged: bigint,
): Uint8Array {
  return new xdr.TransactionResult({
    feeCharged,
    result: feeBump ? feeBumpResult(transaction.hash, outcome) : plainResult(outcome),
    ext: xdr.TransactionResultExt.v0(),
  }).toXdr()
}

function plainResult(outcome: EnvelopeOutcome): xdr.TransactionResultResult {
  const inner: TransactionOutcome =
    outcome.at === 'feeBump' ? { code: outcome.code } : outcome.inner
  if (inner.code === 'txSuccess' || inner.code === 'txFailed') {
    return xdr.TransactionResultResult[inner.code]([...inner.operations])
  }
  return xdr.TransactionResultResult[inner.code]()
}

function feeBumpResult(
  innerHash: Uint8Array,
  outcome: EnvelopeOutcome,
): xdr.TransactionResultResult {
  if (outcome.at === 'feeBump') return xdr.TransactionResultResult[outcome.code]()
  const pair = new xdr.InnerTransactionResultPair({
    transactionHash: innerHash,
    result: new xdr.InnerTransactionResult({
      feeCharged: 0n,
      result: innerResult(outcome.inner),
      ext: xdr.InnerTransactionResultExt.v0(),
    }),
  })
  return isSuccess(outcome)
    ? xdr.TransactionResultResult.txFeeBumpInnerSuccess(pair)
    : xdr.TransactionResultResult.txFeeBumpInnerFailed(pair)
}

function innerResult(inner: TransactionOutcome): xdr.InnerTransactionResultResult {
  if (inner.code === 'txSuccess' || inner.code === 'txFailed') {
    return xdr.InnerTransactionResultResult[inner.code]([...inner.operations])
  }
  return xdr.InnerTransactionResultResult[inner.code]()
}
