import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../schema.ts'

/** Under which leadership a write is made. */
export interface Fence {
  /** Whose leadership: the election's name. */
  readonly name: string
  /** Rises with every change of leadership. */
  readonly epoch: bigint
}

/** A later leader has written: whoever gets this leads no more, and has to stop. */
export class Fenced extends Error {
  override readonly name = 'Fenced'

  constructor({ name, epoch }: Fence) {
    super(`leadership ${name} has passed epoch ${epoch}: a later leader writes now`)
  }
}

/** Says that writes under lower epochs are refused from now on. Throws `Fenced` if this one is. */
export async function raiseEpoch(db: Kysely<Database>, fence: Fence): Promise<void> {
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

/**
 * Does the work in one transaction that no later leader's first write can come before: its epoch
 * row is locked until the end. Throws `Fenced` when a later leader has written already.
 */
export const underFence = <T>(
  db: Kysely<Database>,
  fence: Fence,
  work: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> =>
  db.transaction().execute(async (transaction) => {
    const held = await transaction
      .selectFrom('operator_epochs')
      .select('name')
      .where('name', '=', fence.name)
      .where('epoch', '=', fence.epoch)
      .forShare()
      .executeTakeFirst()
    if (!held) throw new Fenced(fence)
    return work(transaction)
  })
