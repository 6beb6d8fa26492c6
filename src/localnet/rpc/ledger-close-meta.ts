import { Buffer } from 'node:buffer'
import { xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction, ClosedLedger } from '../history.ts'
import { ttlKeyHash } from '../ledger/keys.ts'
import type { MetaVersion } from '../transactions/meta.ts'

/**
 * LedgerCloseMeta XDR of a closed ledger, built from the history. `feeProcessing` is empty. Version 2
 * goes with TransactionMeta version 4, and version 1 with 3.
 */
export function ledgerCloseMeta(ledger: ClosedLedger, metaVersion: MetaVersion): Uint8Array {
  const ledgerHeader = xdr.LedgerHeaderHistoryEntry.fromXdr(ledger.headerXdr)
  const common = {
    ext: xdr.LedgerCloseMetaExt.v0(),
    ledgerHeader,
    txSet: transactionSet(ledgerHeader.header.previousLedgerHash, ledger.transactions),
    upgradesProcessing: [],
    scpInfo: [],
    totalByteSizeOfLiveSorobanState: 0n,
    evictedKeys: ledger.evictedKeys.flatMap(withTtlKey),
  }
  const { transactions } = ledger
  const meta =
    metaVersion === 4
      ? xdr.LedgerCloseMeta.v2(
          new xdr.LedgerCloseMetaV2({ ...common, txProcessing: transactions.map(processing) }),
        )
      : xdr.LedgerCloseMeta.v1(
          new xdr.LedgerCloseMetaV1({
            ...common,
            txProcessing: transactions.map((it) => new xdr.TransactionResultMeta(processed(it))),
            unused: [],
          }),
        )
  return meta.toXdr()
}

/** An entry is evicted together with its TTL entry (CAP-62). */
const withTtlKey = (key: Uint8Array): xdr.LedgerKey[] => [
  xdr.LedgerKey.fromXdr(key),
  xdr.LedgerKey.ttl(new xdr.LedgerKeyTtl({ keyHash: new xdr.Hash(ttlKeyHash(key)) })),
]

/** Two phases, as in stellar-core: classic, then Soroban transactions. */
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

const processing = (transaction: AppliedTransaction): xdr.TransactionResultMetaV1 =>
  new xdr.TransactionResultMetaV1({
    ext: xdr.ExtensionPoint.v0(),
    ...processed(transaction),
    postTxApplyFeeProcessing: [],
  })

const processed = ({ hash, resultXdr, resultMetaXdr }: AppliedTransaction) => ({
  result: new xdr.TransactionResultPair({
    transactionHash: new xdr.Hash(new Uint8Array(Buffer.from(hash, 'hex'))),
    result: xdr.TransactionResult.fromXdr(resultXdr),
  }),
  feeProcessing: [],
  txApplyProcessing: xdr.TransactionMeta.fromXdr(resultMetaXdr),
})
