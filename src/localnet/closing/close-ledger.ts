/**
 * Closes a ledger, as stellar-core does: charges all fees, applies the classic transactions and then the
 * Soroban ones, and at the end refunds fees.
 */

import type { AccountId } from '../ledger/account-id.ts'
import { keyXdr } from '../ledger/entry-record.ts'
import type { EntryStore } from '../ledger/entry-store.ts'
import {
  type ClosedHeader,
  closeHeader,
  type LastClosedLedger,
  StateHash,
  sha256,
  type ValueSigner,
} from '../ledger/header.ts'
import { LedgerTxn } from '../ledger/ledger-txn.ts'
import { type Finished, toAppliedTransaction } from '../transactions/apply/applied-transaction.ts'
import { applyTransaction } from '../transactions/apply/apply.ts'
import type { Applied, LedgerApply } from '../transactions/apply/apply-run.ts'
import type { MetaVersion } from '../transactions/apply/meta.ts'
import { type Envelope, isSoroban } from '../transactions/envelope.ts'
import { chargeFee, refundFee } from '../transactions/fees/fee-processing.ts'
import type { BaseFees } from '../transactions/set/surge-pricing.ts'
import { type OrderedTransaction, txSetInApplyOrder } from '../transactions/set/tx-set.ts'
import { xdrUint32 } from '../transactions/xdr-bytes.ts'
import { periodicYield, yieldToEventLoop } from './event-loop.ts'
import type { AppliedTransaction, ClosedLedger, LedgerFees } from './history.ts'

interface CloseInput {
  readonly store: EntryStore
  readonly previous: LastClosedLedger
  readonly envelopes: readonly Envelope[]
  readonly baseFees: BaseFees
  /** Operations of classic transactions in one ledger. */
  readonly maxOperations: number
  readonly metaVersion: MetaVersion
  /** Signs the values of ledgers, as the validator that proposed them does. */
  readonly node: ValueSigner
  /** The cluster of a Soroban transaction within the first stage. */
  readonly clusterOf: (envelope: Envelope) => number
  readonly apply: Omit<LedgerApply, 'seed' | 'highestSequence' | 'metaVersion'>
}

interface CloseOutput {
  readonly state: LastClosedLedger
  readonly ledger: ClosedLedger
}

/** Writes the store at the very end: an error leaves the ledger as it was. */
export async function closeLedger(input: CloseInput): Promise<CloseOutput> {
  const { store, previous, metaVersion, apply, baseFees, maxOperations } = input
  const { transactions: ordered, hash: transactionSetHash } = txSetInApplyOrder({
    ...input,
    previousHash: previous.hash,
  })
  await yieldToEventLoop()
  const ltx = new LedgerTxn(store)
  const yieldIfDue = periodicYield()
  const finished = await applyAll(ltx, {
    ordered,
    baseFees,
    yieldIfDue,
    apply: {
      ...apply,
      metaVersion,
      seed: transactionSetHash,
      highestSequence: highestSequence(input.envelopes),
    },
  })
  const transactions: AppliedTransaction[] = []
  for (const [index, item] of finished.entries()) {
    transactions.push(toAppliedTransaction(item, { ...apply.ledger, metaVersion, index }))
    await yieldIfDue()
  }
  const stateHash = new StateHash(previous.stateHash)
  for (const change of ltx.changes()) {
    stateHash.add(change)
    await yieldIfDue()
  }
  await yieldToEventLoop()
  const header = closeHeader({
    previous,
    sequence: apply.ledger.sequence,
    protocol: apply.host.protocol,
    closeTime: apply.ledger.closeTime,
    feePool: finished.reduce((pool, { feeCharged }) => pool + feeCharged, previous.feePool),
    transactionSetHash,
    resultSetHash: resultSetHash(transactions),
    stateHash: stateHash.digest(),
    maxOperations,
    node: input.node,
  })
  const fees = feesOf(finished)
  await yieldToEventLoop()
  ltx.commit()
  const evictedKeys = store.evictExpired(apply.ledger.sequence).map(keyXdr)
  return {
    state: header.state,
    ledger: closedLedger(header, { transactions, fees, baseFees, evictedKeys }),
  }
}

interface ApplyInput {
  readonly ordered: readonly OrderedTransaction[]
  readonly baseFees: BaseFees
  readonly yieldIfDue: () => Promise<void> | undefined
  readonly apply: LedgerApply
}

async function applyAll(
  ltx: LedgerTxn,
  { ordered, baseFees, yieldIfDue, apply }: ApplyInput,
): Promise<Finished[]> {
  const { metaVersion } = apply
  const { sequence } = apply.ledger
  const charged = []
  for (const item of ordered) {
    const fee = chargeFee(ltx, item.envelope, { ledger: sequence, baseFees })
    charged.push({ ...item, fee })
    await yieldIfDue()
  }
  const refund = ({ envelope }: OrderedTransaction, { fee }: Applied) =>
    refundFee(ltx, envelope, { fee, ledger: sequence })
  const applied = []
  for (const [index, item] of charged.entries()) {
    const result = applyTransaction(ltx, item.envelope, { apply, index })
    // Meta of version 3 has the refund in the transaction's own changes, as before protocol 23.
    const refunded = metaVersion === 3 ? refund(item, result) : undefined
    applied.push({ ...item, result, refunded })
    await yieldIfDue()
  }
  const finished: Finished[] = []
  for (const { envelope, cluster, fee, result, ...item } of applied) {
    const { refunded, changes } = item.refunded ?? refund({ envelope, cluster }, result)
    finished.push({
      envelope,
      cluster,
      applied: result,
      inclusionFee: fee.inclusion,
      feeCharged: fee.total - refunded,
      feeChanges: fee.changes,
      refundChanges: changes,
      events: feeEvents(envelope, { charged: fee.total, refunded, apply }),
    })
    await yieldIfDue()
  }
  return finished
}

interface FeeAmounts {
  readonly charged: bigint
  readonly refunded: bigint
  readonly apply: LedgerApply
}

function feeEvents(
  { feeSource }: Envelope,
  { charged, refunded, apply }: FeeAmounts,
): Uint8Array[] {
  const events = [apply.events.fee(feeSource, charged, 'beforeAll')]
  if (refunded > 0n) events.push(apply.events.fee(feeSource, -refunded, 'afterAll'))
  return events.map((event) => event.toXdr())
}

/** For account merges: a new account of the same key must not reuse a sequence number (protocol 19). */
function highestSequence(envelopes: readonly Envelope[]): (account: AccountId) => bigint {
  const highest = new Map<AccountId, bigint>()
  for (const { transaction } of envelopes) {
    const known = highest.get(transaction.source) ?? 0n
    if (transaction.sequence > known) highest.set(transaction.source, transaction.sequence)
  }
  return (account) => highest.get(account) ?? 0n
}

/** SHA-256 of TransactionResultSet XDR. */
const resultSetHash = (transactions: readonly AppliedTransaction[]): Uint8Array =>
  sha256(
    xdrUint32(transactions.length),
    ...transactions.flatMap(({ hash, resultXdr }) => [Buffer.from(hash, 'hex'), resultXdr]),
  )

/** Per operation, as in Stellar RPC's fee statistics. */
function feesOf(finished: readonly Finished[]): LedgerFees {
  const perOperation = (soroban: boolean): bigint[] =>
    finished
      .filter(({ envelope }) => isSoroban(envelope.transaction) === soroban)
      .map(({ envelope, inclusionFee }) => inclusionFee / BigInt(envelope.feeOperations))
  return { classic: perOperation(false), soroban: perOperation(true) }
}

export function closedLedger(
  { state, headerXdr }: ClosedHeader,
  content: Pick<ClosedLedger, 'transactions' | 'fees' | 'baseFees' | 'evictedKeys'>,
): ClosedLedger {
  const { sequence, closeTime } = state
  return {
    sequence,
    closeTime,
    hash: Buffer.from(state.hash).toString('hex'),
    headerXdr,
    ...content,
  }
}
