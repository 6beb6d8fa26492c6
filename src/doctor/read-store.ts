import type { StoreConfig } from '../config/store-settings.ts'
import type { NetworkId } from '../core/caip2.ts'
import { listChannels } from '../store/channels/channel.ts'
import { openStore, type Store } from '../store/open.ts'
import { serverFacts } from '../store/server-facts.ts'
import { countUnfinished } from '../store/settlements/count-unfinished.ts'
import { readHourStats } from '../store/settlements/hour-stats.ts'
import { listUnfinished } from '../store/settlements/list.ts'
import type { StoredFacts, StoreFacts } from './facts.ts'
import type { Bounds } from './reading.ts'

/** A connection for the server's own facts and one for each network that is read. */
const CONNECTIONS = 3

/** Opens the configured store so that nothing in it waits for longer than the checks do. */
export const openForLooking = (
  config: Extract<StoreConfig, { kind: 'postgres' }>,
  { timeoutMs }: Bounds,
): Promise<Store> =>
  openStore({
    ...config,
    poolSize: CONNECTIONS,
    connectTimeoutMs: timeoutMs,
    statementTimeoutMs: timeoutMs,
    applicationName: 'svc doctor',
  })

export async function readServer(store: Store, { clock }: Bounds): Promise<StoreFacts> {
  // The first question also connects.
  const { version } = await serverFacts(store.db)
  const asked = clock.now()
  const { nowMs } = await serverFacts(store.db)
  const answered = clock.now()
  return {
    version,
    latencyMs: answered - asked,
    clockAheadMs: nowMs - (asked + answered) / 2,
    missingMigrations: await store.pendingMigrations(),
  }
}

export async function readStored(
  { db }: Store,
  network: NetworkId,
  sponsor: string,
  { clock }: Bounds,
): Promise<StoredFacts> {
  const [all, counts, hour, unfinished] = await Promise.all([
    listChannels(db, network),
    countUnfinished(db, network),
    readHourStats(db, network, sponsor),
    listUnfinished(db, network),
  ])
  const submitted = unfinished.flatMap(({ recorded, unresolvableBecause }) =>
    recorded && unresolvableBecause === undefined
      ? [{ ...recorded, recordedAt: recorded.recordedAt.getTime() }]
      : [],
  )
  return { channels: all, lapsed: counts.lapsed, hour, submitted, readAt: clock.now() }
}
