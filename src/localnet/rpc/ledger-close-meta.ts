import { Buffer } from 'node:buffer'
import { xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction, ClosedLedger } from '../history.ts'

/**
 * LedgerCloseMeta XDR of a closed ledger, put together from what the history keeps. Fee changes
 * are within each transaction's own meta and not told a second time; nothing is ever evicted.
 */
export function ledgerCloseMeta(ledger: ClosedLedger): Uint8Array {
  const ledgerHeader = xdr.LedgerHeaderHistoryEntry.fromXdr(ledger.headerXdr)
  return xdr.LedgerCloseMeta.v2(
    new xdr.LedgerCloseMetaV2({
      ext: xdr.LedgerCloseMetaExt.v0(),
      ledgerHeader,
      txSet: transactionSet(ledgerHeader.header.previousLedgerHash, ledger.transactions),
      txProcessing: ledger.transactions.map(processing),
      upgradesProcessing: [],
      scpInfo: [],
      totalByteSizeOfLiveSorobanState: 0n,
      evictedKeys: [],
    }),
  ).toXdr()
}

/** Two phases, as stellar-core keeps them: classic transactions, then those of Soroban. */
function transactionSet(
  previousLedgerHash: xdr.Hash,
  transactions: readonly AppliedTransaction[],
): xdr.GeneralizedTransactionSet {
  const envelopes = transactions.map(({ envelopeXdr }) =>
    xdr.TransactionEnvelope.fromXdr(envelopeXdr),
  )
  return xdr.GeneralizedTransactionSet.v1TxSet(
    new xdr.TransactionSetV1({
      previousLedgerHash,
      phases: [
        phase(envelopes.filter((envelope) => !isSoroban(envelope))),
        phase(envelopes.filter(isSoroban)),
      ],
    }),
  )
}

function phase(txs: xdr.TransactionEnvelope[]): xdr.TransactionPhase {
  if (txs.length === 0) return xdr.TransactionPhase.v0Components([])
  const component = new xdr.TxSetComponentTxsMaybeDiscountedFee({ baseFee: null, txs })
  return xdr.TransactionPhase.v0Components([
    xdr.TxSetComponent.txsetCompTxsMaybeDiscountedFee(component),
  ])
}

function isSoroban(envelope: xdr.TransactionEnvelope): boolean {
  if (envelope.type === 'envelopeTypeTxV0') return false
  const { tx } = envelope.type === 'envelopeTypeTx' ? envelope.v1 : envelope.feeBump.tx.innerTx.v1
  return tx.ext.type === 'sorobanData'
}

function processing(transaction: AppliedTransaction): xdr.TransactionResultMetaV1 {
  return new xdr.TransactionResultMetaV1({
    ext: xdr.ExtensionPoint.v0(),
    result: new xdr.TransactionResultPair({
      transactionHash: new xdr.Hash(new Uint8Array(Buffer.from(transaction.hash, 'hex'))),
      result: xdr.TransactionResult.fromXdr(transaction.resultXdr),
    }),
    feeProcessing: [],
    txApplyProcessing: xdr.TransactionMeta.fromXdr(transaction.resultMetaXdr),
    postTxApplyFeeProcessing: [],
  })
}
