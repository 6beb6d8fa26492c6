import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { countUnfinished } from '../settlements/count-unfinished.ts'
import { countLeased } from './count.ts'

export type DrainOutcome =
  | { readonly kind: 'draining' }
  /** A settlement or a lease stands in the way; nothing was changed. */
  | { readonly kind: 'busy'; readonly unfinished: number; readonly leased: number }

/**
 * Makes all active channels of the sponsor `draining`, so that none is leased again. Refuses (`busy`) while
 * any settlement of the network is unfinished or any channel of the network is leased, of any sponsor.
 * The check and the change are atomic: the table lock waits for running claims and delays new ones, which
 * then find no active channel.
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
