import { formatXlm, type Stroops } from '../../platform/core/amounts/stroops.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { KeeperLease } from '../store/upto/keeper-lease.ts'
import {
  finishKeeperTransaction,
  type KeeperEnvelope,
  type KeeperOutcome,
  type KeeperWork,
  recordKeeperEnvelope,
  reserveKeeperFee,
} from '../store/upto/keeper-transactions.ts'
import { KeeperFailure } from './keeper-failure.ts'

/** Where transactions are written down before they are signed and sent; every write checks the lease. */
export interface WorkJournal {
  /** Reserves the maximum fee. Throws `KeeperFailure` when it does not fit in the hourly budget. @returns its number */
  reserve(action: KeeperWork, fee: Stroops): Promise<bigint>
  record(id: bigint, envelope: KeeperEnvelope): Promise<void>
  finish(
    transaction: { readonly id: bigint; readonly action: KeeperWork; readonly hash?: string },
    outcome: KeeperOutcome,
  ): Promise<void>
}

interface Payer {
  /** `G...` */
  readonly sponsor: string
  /** No limit when absent. */
  readonly hourlyBudget: Stroops | undefined
}

export const storedJournal = (
  db: Db,
  lease: KeeperLease,
  { sponsor, hourlyBudget }: Payer,
): WorkJournal => ({
  reserve: async (action, fee) => {
    const reserved = await reserveKeeperFee(db, lease, { action, sponsor, fee, hourlyBudget })
    if (reserved.kind === 'reserved') return reserved.id
    throw new KeeperFailure(
      action,
      'refused',
      `the fees of the last hour leave less of MAX_SPONSOR_SPEND_XLM_PER_HOUR than the ${formatXlm(fee)} that it may cost: it waits until they leave enough; svc upto ${action} does not wait`,
    )
  },
  record: (id, envelope) => recordKeeperEnvelope(db, lease, id, envelope),
  finish: (transaction, outcome) => finishKeeperTransaction(db, lease, transaction, outcome),
})
