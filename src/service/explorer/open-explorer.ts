import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { exposeExplorerApi } from '../../explorer/api/expose-api.ts'
import type { IngestNetwork } from '../../explorer/ingest/ingest-options.ts'
import { startIngest } from '../../explorer/ingest/start-ingest.ts'
import { openReads } from '../../explorer/open-reads.ts'
import { exposeAnnounce } from '../../explorer/registry/announcement/announce-route.ts'
import { registryFetchers } from '../../explorer/registry/registry-fetchers.ts'
import { startRegistry } from '../../explorer/registry/start-registry.ts'
import { LiveUpdates } from '../../explorer/web/live/live-updates.ts'
import { exposePages } from '../../explorer/web/pages.ts'
import { type NetworkId, passphrases } from '../../platform/core/caip2.ts'
import { AsyncDisposableStack } from '../../platform/core/language/disposable-stack.ts'
import { cryptoRandom } from '../../platform/core/time/backoff.ts'
import { untilAborted } from '../../platform/core/time/until-aborted.ts'
import { openStore, type Store } from '../../platform/database/open.ts'
import type { ReadinessChecks } from '../../platform/http/readiness.ts'
import type { HttpServer } from '../../platform/http/server/server.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import type { ExplorerNetwork } from '../../settings/sections/explorer-network.ts'
import type { ExplorerConfig } from '../../settings/sections/explorer-settings.ts'
import type { StoreConfig } from '../../settings/sections/store-settings.ts'
import type { RpcPool } from '../../stellar/rpc/pool/rpc-pool.ts'
import { exposeExplorerOpenApi } from '../openapi/explorer-route.ts'
import { ownVersion } from '../process/own-version.ts'
import type { ServiceDeps } from '../server/run-service.ts'
import { openExplorerPools } from './open-explorer-pools.ts'

export interface ExplorerParts extends Omit<ServiceDeps, 'tracer'> {
  readonly config: ExplorerConfig
  /** How `store` was opened. */
  readonly from: StoreConfig
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
  /** Where others reach the facilitator; undefined: they are told the address at which the explorer asks the catalog. */
  readonly publicUrl: string | undefined
  /** Version of the build. */
  readonly version: string
}

/** A running explorer. Disposing of it ends its background work. */
export interface Explorer extends AsyncDisposable {
  /** Adds the API and the pages to the server. */
  readonly routes: (app: HttpServer['app']) => void
  /** Its checks of `/ready`. */
  readonly checks: ReadinessChecks
  /** Ends the answers that never end by themselves. Call it when the server begins to drain. */
  readonly drain: () => void
}

/**
 * Builds the explorer from its modules. Several processes may run it over one store: one of them ingests, all of them
 * serve, and they share the work of the registry.
 */
export async function openExplorer(parts: ExplorerParts): Promise<Explorer> {
  const { config, from, store, logger: log, metrics, clock, stop, version } = parts
  const { allowLoopback } = config
  await using opened = new AsyncDisposableStack()
  const readStore = opened.use(await openReadStore(config, from, store))
  const networks = config.networks.map(({ id }) => id)
  const reads = openReads({
    db: readStore.db,
    clock,
    metrics,
    networks,
    watchedAssets: Object.fromEntries(
      config.networks.flatMap(({ id, watchedSacs }) =>
        watchedSacs === 'all' ? [] : [[id, watchedSacs]],
      ),
    ),
  })
  const onErrorOf = (task: string) =>
    onBackgroundError({ log, metrics }, task, 'A background task of the explorer failed', { task })
  const live = opened.use(
    new LiveUpdates({ reads, clock, onError: onErrorOf('explorer_live_updates') }),
  )
  const rpcs = await untilAborted(stop, openExplorerPools(config.networks, { clock, log, metrics }))
  const fetchers = opened.use(registryFetchers({ allowLoopback }))
  const shared = { db: store.db, clock, log, metrics, random: cryptoRandom }
  const ingest = opened.use(
    startIngest({
      ...shared,
      holder: `${hostname()}/${randomUUID()}`,
      networks: config.networks.flatMap((network) => ingestNetwork(network, rpcs) ?? []),
      retentionDays: config.retentionDays,
      backfillLedgers: config.backfillLedgers,
      onWritten: ({ payments }) => {
        if (payments > 0) live.wake()
      },
    }),
  )
  const registry = opened.use(
    startRegistry({
      ...shared,
      fetchers,
      configured: config.registry,
      allowLoopback,
      rpcs,
      onChanged: () => ingest.attributionChanged(),
    }),
  )
  const resources = opened.move()
  return {
    routes: (app) => {
      const { trustedProxyHops, publicUrl } = parts
      const { catalogUrl } = config
      exposeExplorerApi(app, { reads, version, clock, log })
      exposeExplorerOpenApi(app, version)
      exposePages(app, {
        reads,
        networks,
        version: version === 'dev' ? `${ownVersion()} (dev)` : version,
        clock,
        live,
        ...(catalogUrl !== undefined && {
          catalog: { url: catalogUrl, facilitatorUrl: publicUrl ?? catalogUrl },
        }),
        trustedProxyHops,
      })
      exposeAnnounce(app, {
        db: store.db,
        fetchers,
        allowLoopback,
        ownBaseUrls: [],
        onChanged: () => registry.wake(),
        clock,
        trustedProxyHops,
      })
    },
    checks: { explorer: () => readStore.ping().then(() => undefined) },
    drain: () => {
      live[Symbol.asyncDispose]().catch(onErrorOf('explorer_live_updates'))
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function ingestNetwork(
  { id, uptoContracts, watchedSacs: watchedAssets }: ExplorerNetwork,
  rpcs: ReadonlyMap<NetworkId, RpcPool>,
): IngestNetwork | undefined {
  const rpc = rpcs.get(id)
  return rpc && { id, passphrase: passphrases[id], rpc, uptoContracts, watchedAssets }
}

type ReadStore = Pick<Store, 'db' | 'ping'> & AsyncDisposable

/**
 * Where the API and the pages of the explorer read. It has connections of its own, so that slow pages take none from
 * those that write: they would delay payments, or the ledgers that the explorer has to write in time.
 * @param store what a store in memory shares: it is one database in this process
 */
async function openReadStore(
  { readUrl, readPoolSize: poolSize }: Pick<ExplorerConfig, 'readUrl' | 'readPoolSize'>,
  from: StoreConfig,
  store: Store,
): Promise<ReadStore> {
  if (from.kind === 'memory') {
    return { db: store.db, ping: () => store.ping(), [Symbol.asyncDispose]: async () => undefined }
  }
  const { url, ca, statementTimeoutMs } = from
  const shared = { kind: 'postgres', ca, poolSize, statementTimeoutMs } as const
  return openStore(
    readUrl === undefined
      ? { ...shared, url }
      : { ...shared, url: readUrl, urlVariable: 'EXPLORER_DATABASE_URL' },
  )
}
