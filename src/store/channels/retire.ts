import { sql } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import type { Db } from '../schema.ts'
import { countUnfinished } from '../settlements/count-unfinished.ts'
import { countLeased } from './count.ts'

export type DrainOutcome =
  | { readonly kind: 'draining' }
  /** Nothing was changed. */
  | { readonly kind: 'busy'; readonly unfinished: number; readonly leased: number }

/**
 * Lets nobody lease the sponsor's channels from now on, unless any settlement of the network is
 * unfinished or any of its channels leased, whoever's they are. One decision: the lock waits for
 * the claims under way and holds off new ones, and those find no channel that is active.
 */
export const drainChannels = (db: Db, network: NetworkId, sponsor: string): Promise<DrainOutcome> =>
  db.transaction().execute(async (transaction) => {
    await sql`lock table channels in share row exclusive mode`.execute(transaction)
    const { claimed, lapsed, submitted } = await countUnfinished(transaction, network)
    const unfinished = claimed + lapsed + submitted
    const leased = await countLeased(transaction, network)
    if (unfinished > 0 || leased > 0) return { kind: 'busy', unfinished, leased }
    await transaction
      .updateTable('channels')
      .set({ state: 'draining' })
      .where('network', '=', network)
      .where('sponsor', '=', sponsor)
      .where('state', '=', 'active')
      .execute()
    return { kind: 'draining' }
  })

/** Marks accounts that are no longer on the ledger. */
export async function markRetired(
  db: Db,
  network: NetworkId,
  sponsor: string,
  accounts: readonly string[],
): Promise<void> {
  if (accounts.length === 0) return
  await db
    .updateTable('channels')
    .set({ state: 'retired', sequence: null, quarantined_because: null, misses: 0 })
    .where('network', '=', network)
    .where('sponsor', '=', sponsor)
    .where('account', 'in', accounts)
    .where('state', '<>', 'retired')
    .execute()
}
