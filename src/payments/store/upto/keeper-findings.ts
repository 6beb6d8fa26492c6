import type { Db } from '../../../platform/database/schema.ts'
import { databaseNow } from '../../../platform/database/sql-time.ts'
import { type KeeperLease, underKeeperLease } from './keeper-lease.ts'

/** The findings of a holder of the lease; a member that is absent stays as it is. */
export interface KeeperFindings {
  /** The TTL of the entries was read just now. */
  readonly isChecked?: true
  /** The step that it is about to take, or the advice to an administrator; null: nothing. */
  readonly plan?: string | null
  /** Why the round failed; null: it did not. */
  readonly error?: string | null
}

/** Throws `KeeperLeaseLost`. */
export const writeKeeperFindings = (
  db: Db,
  lease: KeeperLease,
  { isChecked, plan, error }: KeeperFindings,
): Promise<void> =>
  underKeeperLease(db, lease, async (transaction) => {
    await transaction
      .updateTable('upto_keepers')
      .set({
        ...(isChecked && { checked_at: databaseNow }),
        ...(plan !== undefined && { plan }),
        ...(error !== undefined && { error }),
        // An update needs a column.
        holder: lease.holder,
      })
      .where('network', '=', lease.network)
      .where('contract', '=', lease.contract)
      .execute()
  })
