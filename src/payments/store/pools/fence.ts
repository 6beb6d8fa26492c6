import type { Transaction } from 'kysely'
import type { Database, Db } from '../../../platform/database/schema.ts'

/** The leadership that a write belongs to. */
export interface Fence {
  /** Name of the election. */
  readonly name: string
  /** Increases with every change of leadership. */
  readonly epoch: bigint
}

/**
 * The database names another epoch: a later leader has written, or someone who owns the database. Says nothing about who leads: that is
 * the Lease's to say.
 */
export class Fenced extends Error {
  override readonly name = 'Fenced'
  readonly fence: Fence

  constructor(fence: Fence) {
    super(`leadership ${fence.name} has passed epoch ${fence.epoch}: a later leader writes now`)
    this.fence = fence
  }
}

/**
 * A new leader's first write: from now on, writes under lower epochs are refused. Throws `Fenced` when a
 * later leader has written.
 */
export async function raiseEpoch(db: Db, fence: Fence): Promise<void> {
  const raised = await db
    .insertInto('operator_epochs')
    .values(fence)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ epoch: fence.epoch })
        .where('operator_epochs.epoch', '<=', fence.epoch),
    )
    .returning('name')
    .executeTakeFirst()
  if (!raised) throw new Fenced(fence)
}

/** Runs one query: `write(drainPoolChannels, pool, [3, 4])`. */
export type StoreWrite = <Args extends readonly unknown[], Result>(
  query: (db: Db, ...args: Args) => Promise<Result>,
  ...args: Args
) => Promise<Result>

/** Runs it in a transaction of its own, which holds the fence. */
export type FencedWrite = <Args extends readonly unknown[], Result>(
  query: (transaction: Transaction<Database>, ...args: Args) => Promise<Result>,
  ...args: Args
) => Promise<Result>

/** The writes of a process that no lease limits. */
export const plainWrites =
  (db: Db): StoreWrite =>
  (query, ...args) =>
    query(db, ...args)

/**
 * The writes of the leader that holds this fence: the leadership's epoch row stays locked until the end of each
 * transaction, so no later leader can write first. They throw `Fenced` when a later leader has written.
 */
export const fencedWrites =
  (db: Db, fence: Fence): FencedWrite =>
  (query, ...args) =>
    underFence(db, fence, (transaction) => query(transaction, ...args))

const underFence = <T>(
  db: Db,
  fence: Fence,
  work: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> =>
  db.transaction().execute(async (transaction) => {
    const epoch = await transaction
      .selectFrom('operator_epochs')
      .select('name')
      .where('name', '=', fence.name)
      .where('epoch', '=', fence.epoch)
      .forShare()
      .executeTakeFirst()
    if (!epoch) throw new Fenced(fence)
    return work(transaction)
  })
