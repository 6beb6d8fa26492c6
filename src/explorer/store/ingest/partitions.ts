import { sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'

const PREFIX = 'explorer_payments_'

interface Partition {
  /** `explorer_payments_2026_11` */
  readonly name: string
  /** Unix seconds. */
  readonly from: number
  readonly to: number
}

/** The month that a payment lies in. */
export function partitionOf(closedAt: number): Partition {
  const date = new Date(closedAt * 1_000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const name = `${PREFIX}${year}_${String(month + 1).padStart(2, '0')}`
  return { name, from: Date.UTC(year, month) / 1_000, to: Date.UTC(year, month + 1) / 1_000 }
}

/**
 * Creates the partitions that these payments need. Each is created apart and then attached, which no reader waits for.
 * The caller has locked the figures, so no other transaction creates them now.
 *
 * @param closedAts Unix seconds
 */
export async function createPartitions(
  transaction: DbTransaction,
  closedAts: Iterable<number>,
): Promise<void> {
  const partitions = new Map<string, Partition>()
  for (const closedAt of closedAts) {
    const partition = partitionOf(closedAt)
    partitions.set(partition.name, partition)
  }
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${[...partitions.keys()]}::text[]) name
    where to_regclass(name) is null`.execute(transaction)
  for (const { name } of rows) {
    const partition = partitions.get(name)
    if (!partition) continue
    const bounds = [partition.from, partition.to].map((second) => BigInt(second) << 32n)
    const [from, to] = bounds.map((bound) => sql.lit(bound.toString()))
    await sql`create table ${sql.table(name)} (like explorer_payments including all)`.execute(
      transaction,
    )
    await sql`alter table explorer_payments attach partition ${sql.table(name)}
      for values from (${from}) to (${to})`.execute(transaction)
  }
}
