/**
 * Makes a ledger out of envelopes, as stellar-core does: all fees first, then the classic
 * transactions, then the Soroban ones, and when everything is applied the refunds.
 */

import { breather, pause } from './event-loop.ts'
import type { AppliedTransaction, LedgerFees } from './history.ts'
import type { AccountId } from './ledger/account-id.ts'
import { type EntryStore, keyXdr, LedgerTxn } from './ledger/entry-store.ts'
import {
  type ClosedHeader,
  closeHeader,
  type LastClosedLedger,
  StateHash,
  sha256,
} from './ledger/header.ts'
import { type Finished, toAppliedTransaction } from './transactions/applied-transaction.ts'
import { applyTransaction, type LedgerApply } from './transactions/apply.ts'
import { type Envelope, isSoroban } from './transactions/envelope.ts'
import { chargeFee, refundFee } from './transactions/fee-processing.ts'
import type { MetaVersion } from './transactions/meta.ts'
import type { BaseFees } from './transactions/surge-pricing.ts'
import { txSetInApplyOrder } from './transactions/tx-set.ts'
import { xdrUint32 } from './transactions/xdr-bytes.ts'

export interface Closing {
  readonly store: EntryStore
  readonly previous: LastClosedLedger
  readonly envelopes: readonly Envelope[]
  readonly baseFees: BaseFees
  /** Operations a ledger takes. */
  readonly maxOperations: number
  readonly metaVersion: MetaVersion
  readonly apply: Omit<LedgerApply, 'seed' | 'highestSequence'>
}

export interface Closed {
  readonly sealed: ClosedHeader
  readonly transactions: readonly AppliedTransaction[]
  readonly fees: LedgerFees
  /** LedgerKey XDR. */
  readonly evictedKeys: readonly Uint8Array[]
}

/** Nothing reaches the store before the end; an error leaves the ledger as it was. */
export async function closeLedger(closing: Closing): Promise<Closed> {
  const { store, previous, metaVersion, apply, baseFees, maxOperations } = closing
  const { envelopes, hash: transactionSetHash } = txSetInApplyOrder(
    previous.hash,
    closing.envelopes,
  )
  await pause()
  const ltx = new LedgerTxn(store)
  const breathe = breather()
  const finished = await applyAll(ltx, {
    envelopes,
    baseFees,
    breathe,
    apply: { ...apply, seed: transactionSetHash, highestSequence: highestSequence(envelopes) },
  })
  const transactions: AppliedTransaction[] = []
  for (const [index, item] of finished.entries()) {
    transactions.push(toAppliedTransaction(item, { ...apply.ledger, metaVersion, index }))
    await breathe()
  }
  const stateHash = new StateHash(previous.stateHash)
  for (const change of ltx.changes()) {
    stateHash.add(change)
    await breathe()
  }
  await pause()
  const sealed = closeHeader({
    previous,
    protocol: apply.host.protocol,
    closeTime: apply.ledger.closeTime,
    feePool: finished.reduce((pool, { feeCharged }) => pool + feeCharged, previous.feePool),
    transactionSetHash,
    resultSetHash: resultSetHash(transactions),
    stateHash: stateHash.digest(),
    maxOperations,
  })
  const fees = feesOf(finished)
  await pause()
  ltx.commit()
  const evictedKeys = store.evictExpired(apply.ledger.sequence).map(keyXdr)
  return { sealed, transactions, fees, evictedKeys }
}

interface Work {
  readonly envelopes: readonly Envelope[]
  readonly baseFees: BaseFees
  readonly breathe: () => Promise<void> | undefined
  readonly apply: LedgerApply
}

async function applyAll(
  ltx: LedgerTxn,
  { envelopes, baseFees, breathe, apply }: Work,
): Promise<Finished[]> {
  const { sequence } = apply.ledger
  const taken = []
  for (const envelope of envelopes) {
    taken.push({ envelope, fee: chargeFee(ltx, envelope, { ledger: sequence, baseFees }) })
    await breathe()
  }
  const applied = []
  for (const [index, item] of taken.entries()) {
    const outcome = applyTransaction(ltx, item.envelope, { apply, index })
    applied.push({ ...item, outcome })
    await breathe()
  }
  const finished: Finished[] = []
  for (const { envelope, fee, outcome } of applied) {
    const refunded = refundFee(ltx, envelope, { fee: outcome.fee, ledger: sequence })
    finished.push({
      envelope,
      applied: outcome,
      inclusionFee: fee.inclusion,
      feeCharged: fee.total - refunded,
      events: feeEvents(envelope, { taken: fee.total, refunded, apply }),
    })
    await breathe()
  }
  return finished
}

interface FeeFlow {
  readonly taken: bigint
  readonly refunded: bigint
  readonly apply: LedgerApply
}

function feeEvents({ feeSource }: Envelope, { taken, refunded, apply }: FeeFlow): Uint8Array[] {
  const events = [apply.events.fee(feeSource, taken, 'beforeAll')]
  if (refunded > 0n) events.push(apply.events.fee(feeSource, -refunded, 'afterAll'))
  return events.map((event) => event.toXdr())
}

/** What merges ask for: no later account of the key may reuse a number (protocol 19). */
function highestSequence(envelopes: readonly Envelope[]): (account: AccountId) => bigint {
  const highest = new Map<AccountId, bigint>()
  for (const { transaction } of envelopes) {
    const known = highest.get(transaction.source) ?? 0n
    if (transaction.sequence > known) highest.set(transaction.source, transaction.sequence)
  }
  return (account) => highest.get(account) ?? 0n
}

/** SHA-256 of TransactionResultSet: pairs of hash and result. */
const resultSetHash = (transactions: readonly AppliedTransaction[]): Uint8Array =>
  sha256(
    xdrUint32(transactions.length),
    ...transactions.flatMap(({ hash, resultXdr }) => [Buffer.from(hash, 'hex'), resultXdr]),
  )

/** Per operation, as Stellar RPC counts them. */
function feesOf(finished: readonly Finished[]): LedgerFees {
  const perOperation = (soroban: boolean): bigint[] =>
    finished
      .filter(({ envelope }) => isSoroban(envelope.transaction) === soroban)
      .map(({ envelope, inclusionFee }) => inclusionFee / BigInt(envelope.feeOperations))
  return { classic: perOperation(false), soroban: perOperation(true) }
}
