import { randomBytes, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { exposeMcp } from '../../buying/mcp/mount.ts'
import { startBounds } from '../../catalog/bounds/start-bounds.ts'
import { discoveryRoutes } from '../../catalog/discovery/routes.ts'
import { startDomainClaims } from '../../catalog/domain/start-domain-claims.ts'
import { startFacts } from '../../catalog/facts/start-facts.ts'
import { embeddingsClient } from '../../catalog/indexing/embeddings-client.ts'
import { startIndexing } from '../../catalog/indexing/start-indexing.ts'
import { startIntake } from '../../catalog/intake/start-intake.ts'
import { CatalogItems } from '../../catalog/items/catalog-items.ts'
import { startOriginChecks } from '../../catalog/origin/start-origin-checks.ts'
import { exposeValidate } from '../../catalog/origin/validate-route.ts'
import { keptCursorSecret } from '../../catalog/store/discovery/discovery-cursor-secret.ts'
import { isOwnAccount } from '../../payments/store/channels/is-own-account.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { AsyncDisposableStack } from '../../platform/core/language/disposable-stack.ts'
import { cryptoRandom } from '../../platform/core/time/backoff.ts'
import { undefinedWhenLate, withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { guardedFetcher } from '../../platform/http/guarded-fetch/guarded-fetch.ts'
import type { ReadinessChecks } from '../../platform/http/readiness.ts'
import type { HttpServer } from '../../platform/http/server/server.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import type { CatalogConfig } from '../../settings/sections/catalog-settings.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import type { ServiceDeps } from '../server/run-service.ts'
import { inProcessFacts } from './in-process-facts.ts'
import { openWarmValidator } from './open-warm-validator.ts'

/** Longer than a build of tens of thousands of listings takes. */
const FIRST_BUILD_WAIT_MS = 10_000

export interface CatalogParts extends ServiceDeps {
  readonly config: CatalogConfig
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
  /** Version of the build. */
  readonly version: string
  /** RPC by network, for the networks whose ledgers this process reads. */
  readonly rpcs: ReadonlyMap<NetworkId, StellarRpc>
}

/** A running catalog. Disposing of it ends its background work. */
export interface Catalog extends AsyncDisposable {
  /** Adds `/discovery` and `/mcp` to the server. */
  readonly routes: (app: HttpServer['app']) => void
  /** A payment of this process has settled and declares a resource. */
  readonly wake: () => void
  /** The check `search` of `/ready`. */
  readonly checks: ReadinessChecks
}

/**
 * Builds the catalog from its modules. Several processes may run it over one store: they claim the work there. What
 * one part changes wakes those that follow it; their intervals are the fallback, and serve the other processes.
 */
export async function openCatalog(parts: CatalogParts): Promise<Catalog> {
  const { config, rpcs, trustedProxyHops, store, logger: log, metrics, clock, version } = parts
  await using opened = new AsyncDisposableStack()
  const replica = `${hostname()}/${randomUUID()}`
  const shared = { store, clock, log, metrics, random: cryptoRandom }
  const fetcher = guardedFetcher({ allowLoopback: config.allowLoopback })
  opened.defer(() => fetcher.close())
  const { cursorSecret = await keptCursorSecret(store.db, randomBytes(32).toString('hex')) } =
    config.search

  const firstBuild = Promise.withResolvers<void>()
  const onIndexingError = (error: unknown, task: string) =>
    onBackgroundError({ log, metrics }, task, 'Could not update the search index', { task })(error)
  const items = new CatalogItems({
    db: store.db,
    onSkipped: (id, error) =>
      onIndexingError(
        new Error(`listing ${id} cannot be indexed`, { cause: error }),
        'search_index',
      ),
  })
  const indexing = opened.use(
    await startIndexing({
      db: store.db,
      items,
      clock,
      replica,
      embedder:
        config.search.embeddings && embeddingsClient({ ...config.search.embeddings, clock }),
      similarityFloor: config.search.similarityFloor,
      onError: onIndexingError,
      onBuilt: (build, tookMs) => {
        firstBuild.resolve()
        metrics.searchIndexBuild.observe({ result: build.result }, tookMs / 1_000)
        metrics.searchIndexBuilt.set(build.at / 1_000)
        metrics.searchIndexItems.set(build.listings)
        if (build.revision !== null) metrics.searchIndexRevision.set(build.revision)
      },
      onSearched: (method, ms) => metrics.searchDuration.observe({ method }, ms / 1_000),
    }),
  )
  const validator = opened.use(openWarmValidator({ clock, allowLoopback: config.allowLoopback }))
  const domains = opened.use(
    startDomainClaims({ ...shared, fetcher, rpcs, onChanged: () => indexing.wake() }),
  )
  opened.use(startBounds({ ...shared, onChanged: () => indexing.wake() }))
  const facts = opened.use(startFacts({ ...shared, rpcs, onChanged: () => indexing.wake() }))
  // A listing that is new or has changed is indexed at once; what its ledger and its host say follows.
  const onChanged = () => {
    indexing.wake()
    facts.wake()
    domains.wake()
  }
  const origins = opened.use(
    startOriginChecks({
      ...shared,
      fetcher,
      validator,
      everyMs: config.originCheckIntervalMs,
      onChanged,
    }),
  )
  const intake = opened.use(
    startIntake({
      ...shared,
      validator,
      writer: replica,
      quotas: config.quotas,
      isOwnAccount: (network, address) => isOwnAccount(store.db, network, address),
      onListed: () => {
        origins.wake()
        // A tool of MCP is listed without a check of an origin.
        onChanged()
      },
    }),
  )
  // So that a small catalog is searchable, and the service ready, as soon as it listens.
  const limit = { clock, ms: FIRST_BUILD_WAIT_MS }
  await withTimeLimit(limit, () => firstBuild.promise).catch(undefinedWhenLate)
  const resources = opened.move()
  return {
    routes: (app) => {
      const search = discoveryRoutes(app, {
        db: store.db,
        items,
        search: indexing.search,
        cursorSecret: Buffer.from(cursorSecret, 'hex'),
        clock,
      })
      const dryRun = exposeValidate(app, { fetcher, validator, rpcs, clock, trustedProxyHops })
      const networks = [...rpcs.keys()]
      exposeMcp(app, {
        version,
        trustedProxyHops,
        factsFor: inProcessFacts({ db: store.db, clock, networks, search, dryRun }),
        onError: (error, tool) => log.error({ err: error, tool }, 'A call of a tool failed'),
      })
    },
    wake: () => intake.wake(),
    checks: {
      search: async () => {
        const { revision = null } = indexing.build() ?? {}
        if (revision === null) throw new Error('the first search index is not built yet')
        return `revision ${revision}`
      },
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
