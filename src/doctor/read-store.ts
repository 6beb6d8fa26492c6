import type { StoreConfig } from '../config/store-settings.ts'
import type { NetworkId } from '../core/caip2.ts'
import { listChannels } from '../store/channels/channel.ts'
import { openStore, type Store } from '../store/open.ts'
import { serverFacts } from '../store/server-facts.ts'
import { countUnfinished } from '../store/settlements/count-unfinished.ts'
import { readHourStats } from '../store/settlements/hour-stats.ts'
import { listUnfinished } from '../store/settlements/list.ts'
import type { StoredFacts, StoreFacts } from './facts.ts'
import type { FetchLimits } from './fetched.ts'

/** One for the server's own facts, and one for each network. */
const CONNECTIONS = 3

/** Opens the configured store; no connection and no statement takes longer than the time limit. */
export const openLimited = (
  config: Extract<StoreConfig, { kind: 'postgres' }>,
  { timeoutMs }: FetchLimits,
): Promise<Store> =>
  openStore({
    ...config,
    poolSize: CONNECTIONS,
    connectTimeoutMs: timeoutMs,
    statementTimeoutMs: timeoutMs,
    applicationName: 'svc doctor',
  })

export async function readServer(store: Store, { clock }: FetchLimits): Promise<StoreFacts> {
  // The first query also connects, so the second one is measured.
  const { version } = await serverFacts(store.db)
  const startedAt = clock.now()
  const { nowMs } = await serverFacts(store.db)
  const answered = clock.now()
  return {
    version,
    latencyMs: answered - startedAt,
    clockAheadMs: nowMs - (startedAt + answered) / 2,
    missingMigrations: await store.pendingMigrations(),
  }
}

export async function readStored(
  { db }: Store,
  network: NetworkId,
  sponsor: string,
  { clock }: FetchLimits,
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
