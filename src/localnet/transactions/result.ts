/** How a transaction ended, and the TransactionResult that says so. */
import { xdr } from '@stellar/stellar-sdk'
import type { Envelope } from './envelope.ts'

/** Codes that end a transaction without results of operations. */
export type TransactionErrorCode = Exclude<
  xdr.TransactionResultResultVariantName,
  'txSuccess' | 'txFailed' | 'txFeeBumpInnerSuccess' | 'txFeeBumpInnerFailed'
>

export type TransactionOutcome =
  | { readonly code: 'txSuccess' | 'txFailed'; readonly operations: readonly xdr.OperationResult[] }
  | { readonly code: TransactionErrorCode }

export type EnvelopeOutcome =
  /** The fee bump itself is at fault; the transaction inside was not looked at. */
  | { readonly at: 'feeBump'; readonly code: TransactionErrorCode }
  | { readonly at: 'transaction'; readonly verdict: TransactionOutcome }

export const isSuccess = (verdict: EnvelopeOutcome): boolean =>
  verdict.at === 'transaction' && verdict.verdict.code === 'txSuccess'

/** TransactionResult XDR. The fee inside a fee bump's inner result is 0 from protocol 25 on. */
export function encodeResult(
  { feeBump, transaction }: Envelope,
  verdict: EnvelopeOutcome,
  feeCharged: bigint,
): Uint8Array {
  return new xdr.TransactionResult({
    feeCharged,
    result: feeBump ? feeBumpResult(transaction.hash, verdict) : plainResult(verdict),
    ext: xdr.TransactionResultExt.v0(),
  }).toXdr()
}

function plainResult(verdict: EnvelopeOutcome): xdr.TransactionResultResult {
  const inner: TransactionOutcome =
    verdict.at === 'feeBump' ? { code: verdict.code } : verdict.verdict
  if (inner.code === 'txSuccess' || inner.code === 'txFailed') {
    return xdr.TransactionResultResult[inner.code]([...inner.operations])
  }
  return xdr.TransactionResultResult[inner.code]()
}

function feeBumpResult(
  innerHash: Uint8Array,
  verdict: EnvelopeOutcome,
): xdr.TransactionResultResult {
  if (verdict.at === 'feeBump') return xdr.TransactionResultResult[verdict.code]()
  const pair = new xdr.InnerTransactionResultPair({
    transactionHash: innerHash,
    result: new xdr.InnerTransactionResult({
      feeCharged: 0n,
      result: innerResult(verdict.verdict),
      ext: xdr.InnerTransactionResultExt.v0(),
    }),
  })
  return isSuccess(verdict)
    ? xdr.TransactionResultResult.txFeeBumpInnerSuccess(pair)
    : xdr.TransactionResultResult.txFeeBumpInnerFailed(pair)
}

function innerResult(inner: TransactionOutcome): xdr.InnerTransactionResultResult {
  if (inner.code === 'txSuccess' || inner.code === 'txFailed') {
    return xdr.InnerTransactionResultResult[inner.code]([...inner.operations])
  }
  return xdr.InnerTransactionResultResult[inner.code]()
}
