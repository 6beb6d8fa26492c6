/**
 * The transactions of a settlement contract's keeper, and of the commands that do its work:
 *
 *     reserved --record--> submitted --finish--> succeeded | failed | expired | unknown
 *         \--release--> released        \--release--> released    (the network refused the envelope)
 *
 * At most one of each contract is under way. Only the holder of the lease writes; its successor goes on with what it
 * finds. The maximum fee counts in the sponsor's hourly budget from the reservation on, then what was charged.
 */
import { sql } from 'kysely'
import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { databaseNow } from '../../../platform/database/sql-time.ts'
import { type KeeperLease, type KeptContract, underKeeperLease } from './keeper-lease.ts'
import type { UptoTables } from './tables.ts'

export type KeeperWork = UptoTables['upto_keeper_transactions']['action']

export interface FeeReservation {
  readonly action: KeeperWork
  /** `G...`, who pays. */
  readonly sponsor: string
  /** The most that it can cost. */
  readonly fee: Stroops
  /** The most that the fees of an hour may be together; no limit when absent. */
  readonly hourlyBudget: Stroops | undefined
}

export type Reserved =
  | { readonly kind: 'reserved'; readonly id: bigint }
  /** The fee does not fit in the hourly budget; nothing was written. */
  | { readonly kind: 'over_budget' }

/** Reserves the fee, which no claim of a payment can use from then on. Throws `KeeperLeaseLost`. */
export async function reserveKeeperFee(
  db: Db,
  lease: KeeperLease,
  { action, sponsor, fee, hourlyBudget }: FeeReservation,
): Promise<Reserved> {
  const { network, contract } = lease
  const reserve = () =>
    underKeeperLease(db, lease, async (transaction) => {
      await deleteOld(transaction, lease)
      // Last, since all claims of the sponsor wait for its lock.
      if (hourlyBudget !== undefined) {
        await sql`select hold_fees(${network}, ${sponsor}, '', ${fee}, ${hourlyBudget})`.execute(
          transaction,
        )
      }
      return transaction
        .insertInto('upto_keeper_transactions')
        .values({
          network,
          contract,
          sponsor,
          action,
          state: 'reserved',
          reserved_at: databaseNow,
          fee_committed: fee,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
    })
  try {
    return { kind: 'reserved', id: (await reserve()).id }
  } catch (error) {
    if (isOverBudget(error)) return { kind: 'over_budget' }
    throw error
  }
}

/** The SQLSTATE that `hold_fees` raises. */
const isOverBudget = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'SVC01'

const KEPT_DAYS = 90

const deleteOld = (db: Db, { network, contract }: KeptContract) =>
  sql`delete from upto_keeper_transactions
    where network = ${network} and contract = ${contract}
      and finished_at < clock_timestamp() - ${KEPT_DAYS} * interval '1 day'`.execute(db)

/** An envelope that may be sent once it is recorded. */
export interface KeeperEnvelope {
  /** 64 hex digits. */
  readonly hash: string
  /** Base64 XDR. */
  readonly envelopeXdr: string
  /** Unix seconds after which no ledger includes it. */
  readonly maxTime: number
  /** The latest ledger; only a later one can include it. */
  readonly recordedAtLedger: number
}

/** Throws `KeeperLeaseLost`, and Error unless the transaction is reserved. */
export const recordKeeperEnvelope = (
  db: Db,
  lease: KeeperLease,
  id: bigint,
  envelope: KeeperEnvelope,
): Promise<void> =>
  underKeeperLease(db, lease, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('upto_keeper_transactions')
      .set({
        state: 'submitted',
        tx_hash: envelope.hash,
        envelope_xdr: envelope.envelopeXdr,
        max_time: BigInt(envelope.maxTime),
        recorded_at_ledger: BigInt(envelope.recordedAtLedger),
      })
      .where('id', '=', id)
      .where('state', '=', 'reserved')
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) throw new Error(`keeper transaction ${id} is not reserved`)
  })

export interface UnderWay {
  readonly id: bigint
  readonly action: KeeperWork
  /** Undefined while it is only reserved: then it was never sent. */
  readonly envelope: KeeperEnvelope | undefined
}

/** The transaction of the contract that is reserved or submitted. */
export async function findKeeperTransaction(
  db: Db,
  { network, contract }: KeptContract,
): Promise<UnderWay | undefined> {
  const row = await db
    .selectFrom('upto_keeper_transactions')
    .selectAll()
    .where('network', '=', network)
    .where('contract', '=', contract)
    .where('state', 'in', ['reserved', 'submitted'])
    .executeTakeFirst()
  if (!row) return undefined
  const { id, action, tx_hash: hash, envelope_xdr: envelopeXdr } = row
  const isRecorded = hash !== null && envelopeXdr !== null
  return {
    id,
    action,
    envelope: isRecorded
      ? {
          hash,
          envelopeXdr,
          maxTime: Number(row.max_time),
          recordedAtLedger: Number(row.recorded_at_ledger),
        }
      : undefined,
  }
}

export type KeeperOutcome =
  | {
      readonly state: 'succeeded' | 'failed'
      readonly ledger: number
      readonly feeCharged: Stroops
    }
  /** No ledger includes it; `unknown`: the network no longer shows whether one did. */
  | { readonly state: 'expired' | 'released' | 'unknown' }

/**
 * Ends a transaction. After one that succeeded, the contract's last action is it, and its failures in a row begin
 * again at zero; after one that failed on the ledger they are one more. Throws `KeeperLeaseLost`.
 */
export const finishKeeperTransaction = (
  db: Db,
  lease: KeeperLease,
  {
    id,
    action,
    hash,
  }: { readonly id: bigint; readonly action: KeeperWork; readonly hash?: string },
  outcome: KeeperOutcome,
): Promise<void> =>
  underKeeperLease(db, lease, async (transaction) => {
    const { state } = outcome
    const applied = 'ledger' in outcome ? outcome : undefined
    await transaction
      .updateTable('upto_keeper_transactions')
      .set({
        state,
        ledger: applied ? BigInt(applied.ledger) : null,
        fee_charged: applied ? asStroops(applied.feeCharged) : null,
        finished_at: sql<Date>`clock_timestamp()`,
      })
      .where('id', '=', id)
      .where('state', 'in', ['reserved', 'submitted'])
      .execute()
    const isKept = state === 'succeeded' && (action === 'extend' || action === 'restore')
    await transaction
      .updateTable('upto_keepers')
      .set((eb) => ({
        ...(isKept && {
          last_action: action,
          last_transaction: hash ?? null,
          last_action_at: sql<Date>`clock_timestamp()`,
        }),
        failures:
          state === 'succeeded'
            ? 0
            : state === 'failed'
              ? eb('failures', '+', 1)
              : eb.ref('failures'),
      }))
      .where('network', '=', lease.network)
      .where('contract', '=', lease.contract)
      .execute()
  })

/** How many transactions in a row failed on the ledger. */
export async function readKeeperFailures(
  db: Db,
  { network, contract }: KeptContract,
): Promise<number> {
  const row = await db
    .selectFrom('upto_keepers')
    .select('failures')
    .where('network', '=', network)
    .where('contract', '=', contract)
    .executeTakeFirst()
  return row?.failures ?? 0
}
