/**
 * Writes the registrations of sellers in catalogs, and the sellers' names that follow from them. Each transaction is small,
 * writes in the order of the keys, and gives up instead of waiting long for a row that the ingest of payments has locked.
 */
import { type RawBuilder, sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import { type DbTransaction, inTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { recordset } from '../ingest/recordset.ts'

/** An address on a network that a catalog names as payee: `G...` or `C...`. */
export interface RegistrationKey {
  readonly network: NetworkId
  readonly payTo: string
}

export interface Registration extends RegistrationKey {
  readonly serviceName: string | null
  readonly resource: string
  readonly description: string | null
}

/** Keys of one transaction: few enough that it ends within a fraction of a second, also where all of them are new. */
const CHUNK = 1_000

/** Shorter than the second after which Postgres looks for a deadlock: this side gives way, never the ingest. */
const LOCK_TIMEOUT = sql`set local lock_timeout = '500ms'`

const REGISTRATIONS_LOCK = 3_853_314_791_062_309_202n

/**
 * Works through keys in chunks, each in a transaction of its own, ordered, and with the lock of all registrations.
 * Returns whether any chunk changed something; undefined when another process is at it, which the next round makes up for.
 */
export async function inChunks<Key extends RegistrationKey>(
  db: Db,
  keys: readonly Key[],
  work: (transaction: DbTransaction, chunk: readonly Key[]) => Promise<boolean>,
): Promise<boolean | undefined> {
  const ordered = keys.toSorted(byKey)
  let hasChanged = false
  for (let start = 0; start < ordered.length; start += CHUNK) {
    const chunk = ordered.slice(start, start + CHUNK)
    const changed = await inTransaction(db, async (transaction) => {
      await LOCK_TIMEOUT.execute(transaction)
      const { rows } = await sql<{ isOurs: boolean }>`
        select pg_try_advisory_xact_lock(${REGISTRATIONS_LOCK}) as "isOurs"`.execute(transaction)
      return rows[0]?.isOurs ? work(transaction, chunk) : undefined
    })
    if (changed === undefined) return undefined
    hasChanged ||= changed
  }
  return hasChanged
}

const byKey = (one: RegistrationKey, other: RegistrationKey): number =>
  compare(one.network, other.network) || compare(one.payTo, other.payTo)

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/** Keys as a table named `key`, with the columns `network` and `"payTo"`. */
export const keysOf = (keys: readonly RegistrationKey[]): RawBuilder<unknown> =>
  sql`${recordset(keys, 'network text, "payTo" text')} key`
