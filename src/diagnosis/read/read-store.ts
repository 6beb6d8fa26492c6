import { listChannels } from '../../payments/store/channels/channel.ts'
import { ownerOf, sponsorsInPools } from '../../payments/store/pools/ownership.ts'
import { listServingReplicas } from '../../payments/store/replica-heartbeats.ts'
import { countUnfinished } from '../../payments/store/settlements/count-unfinished.ts'
import { readHourStats } from '../../payments/store/settlements/hour-stats.ts'
import { listUnfinished } from '../../payments/store/settlements/list.ts'
import { readKeeperState } from '../../payments/store/upto/keeper-state.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { openStore, type Store } from '../../platform/database/open.ts'
import type { UrlVariable } from '../../platform/database/postgres/address.ts'
import { routeOf } from '../../platform/database/postgres/route.ts'
import { serverFacts } from '../../platform/database/postgres/server-facts.ts'
import type { StoreConfig } from '../../settings/sections/store-settings.ts'
import type { StoredFacts, StoreFacts, StoreRoutes } from '../facts/doctor-facts.ts'
import { type FetchLimits, fetchWithin } from '../facts/fetched.ts'

/** One for the server's own facts, and one for each network. */
const CONNECTIONS = 3

type PostgresConfig = Extract<StoreConfig, { kind: 'postgres' }>

/** Opens the configured store; no connection and no statement takes longer than the time limit. */
export const openLimited = (config: PostgresConfig, { timeoutMs }: FetchLimits): Promise<Store> =>
  openStore({
    ...config,
    poolSize: CONNECTIONS,
    connectTimeoutMs: timeoutMs,
    statementTimeoutMs: timeoutMs,
    applicationName: 'svc doctor',
  })

export async function readServer(store: Store, { clock }: FetchLimits): Promise<StoreFacts> {
  // The first query also connects, so the second one is measured.
  const { version, statementTimeoutMs, role, isReadOnly } = await serverFacts(store.db)
  const startedAt = clock.now()
  const { nowMs } = await serverFacts(store.db)
  const answered = clock.now()
  const { missing, newer } = await store.schemaState()
  return {
    version,
    latencyMs: answered - startedAt,
    clockAheadMs: nowMs - (startedAt + answered) / 2,
    missingMigrations: missing,
    newerSchema: newer,
    statementTimeoutMs,
    role,
    isReadOnly,
  }
}

/** Connects once to each URL of the database. */
export async function readRoutes(
  { url, directUrl, ca }: PostgresConfig,
  limits: FetchLimits,
): Promise<StoreRoutes> {
  const read = (each: string, variable: UrlVariable) =>
    fetchWithin(limits, () => routeOf({ url: each, ca }, variable, limits.timeoutMs))
  const [first, second] = await Promise.all([
    read(url, 'DATABASE_URL'),
    directUrl === undefined ? undefined : read(directUrl, 'DATABASE_DIRECT_URL'),
  ])
  return { url: first, directUrl: second }
}

export async function readStored(
  { db }: Store,
  network: NetworkId,
  { sponsor, contract }: { readonly sponsor: string; readonly contract: string | undefined },
  { clock }: FetchLimits,
): Promise<StoredFacts> {
  const [all, counts, hour, unfinished, owner, keeper, pooled, replicas] = await Promise.all([
    listChannels(db, network),
    countUnfinished(db, network),
    readHourStats(db, network, sponsor),
    listUnfinished(db, network),
    ownerOf(db, { network, sponsor }),
    contract === undefined ? undefined : readKeeperState(db, network, contract),
    sponsorsInPools(db, network),
    listServingReplicas(db, network),
  ])
  const submitted = unfinished.flatMap(({ recorded, unresolvableBecause }) =>
    recorded && unresolvableBecause === undefined
      ? [{ ...recorded, recordedAt: recorded.recordedAt.getTime() }]
      : [],
  )
  const { lapsed } = counts
  return {
    ...{ channels: all, lapsed, hour, submitted, keeper, pool: owner?.name },
    inUse: new Set([...pooled, ...replicas.map((replica) => replica.sponsor)]),
    readAt: clock.now(),
  }
}
