import type { Migration } from 'kysely/migration'
import { settlementsAndChannels } from './0001-settlements-and-channels.ts'
import { budgetAndDueTimes } from './0002-budget-and-due-times.ts'
import { newsOfFreedChannels } from './0003-news-of-freed-channels.ts'
import { rateWindows } from './0004-rate-windows.ts'
import { usage } from './0005-usage.ts'
import { hourCounts } from './0006-hour-counts.ts'
import { pools } from './0007-pools.ts'
import { feeTotals } from './0008-fee-totals.ts'
import { parallelFinishes } from './0009-parallel-finishes.ts'
import { refusedAttempts } from './0010-refused-attempts.ts'
import { payerLimits } from './0011-payer-limits.ts'
import { retention } from './0012-retention.ts'
import { reservedChannels } from './0013-reserved-channels.ts'
import { replicaHeartbeats } from './0014-replica-heartbeats.ts'
import { catalog } from './0015-catalog.ts'
import { explorer } from './0016-explorer.ts'
import { uptoKeeper } from './0017-upto-keeper.ts'
import { uptoAuthorities } from './0019-upto-authorities.ts'
import { storeIdentity } from './0020-store-identity.ts'
import { apiKeyUses } from './0021-api-key-uses.ts'
import { provenSigners } from './0022-proven-signers.ts'

/**
 * Every schema change, oldest first by name. A released one is never edited: add the next. It only adds, so that
 * replicas of the previous version work on; what no version uses any more is removed later, by a migration whose name says
 * so: see `schema-newer.ts`.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-settlements-and-channels': settlementsAndChannels,
  '0002-budget-and-due-times': budgetAndDueTimes,
  '0003-news-of-freed-channels': newsOfFreedChannels,
  '0004-rate-windows': rateWindows,
  '0005-usage': usage,
  '0006-hour-counts': hourCounts,
  '0007-pools': pools,
  '0008-fee-totals': feeTotals,
  '0009-parallel-finishes': parallelFinishes,
  '0010-refused-attempts': refusedAttempts,
  '0011-payer-limits': payerLimits,
  '0012-retention': retention,
  '0013-reserved-channels': reservedChannels,
  '0014-replica-heartbeats': replicaHeartbeats,
  '0015-catalog': catalog,
  '0016-explorer': explorer,
  '0017-upto-keeper': uptoKeeper,
  '0019-upto-authorities': uptoAuthorities,
  '0020-store-identity': storeIdentity,
  '0021-api-key-uses': apiKeyUses,
  '0022-proven-signers': provenSigners,
}
