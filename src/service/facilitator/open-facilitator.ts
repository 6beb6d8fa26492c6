import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { CatalogHooks } from '../../payments/api/catalog-hooks.ts'
import { facilitatorRoutes } from '../../payments/api/routes.ts'
import { signerProofs } from '../../payments/api/signer-proofs.ts'
import { exposeStartPage } from '../../payments/api/start-page/route.ts'
import { startHeartbeats } from '../../payments/engine/background/heartbeats.ts'
import { startRetention } from '../../payments/engine/background/retention.ts'
import { Reconciler } from '../../payments/engine/follow/reconciler.ts'
import { SettlementFollower } from '../../payments/engine/follow/settlement-follower.ts'
import type { NetworkRpc, ServedNetwork } from '../../payments/engine/network/served-network.ts'
import { Settler } from '../../payments/engine/settle.ts'
import { defaultTimings, type Timings } from '../../payments/engine/timings.ts'
import type { HealthMonitor } from '../../payments/health/health-monitor.ts'
import { readinessOf, settledOnce } from '../../payments/health/readiness.ts'
import { exposeHealth } from '../../payments/health/route.ts'
import { startKeeper } from '../../payments/upto-keeper/start-keeper.ts'
import { asUsdUnits } from '../../platform/core/amounts/usd.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import { undefinedWhenLate, withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { untilAborted } from '../../platform/core/time/until-aborted.ts'
import type { Store } from '../../platform/database/open.ts'
import { ApiKeys } from '../../platform/http/access/api-keys.ts'
import { KeyGate } from '../../platform/http/access/key-gate.ts'
import type { ReadinessCheck, ReadinessChecks } from '../../platform/http/readiness.ts'
import type { HttpServer } from '../../platform/http/server/server.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import { noTracer, type Tracer } from '../../platform/telemetry/traces/tracer.ts'
import type { NetworkConfig } from '../../settings/sections/network-settings.ts'
import type { ServeConfig } from '../../settings/serve.ts'
import { watchHealth } from '../networks/watch-health.ts'
import { meterUsage } from './meter-usage.ts'
import { openConfigured } from './open-configured-network.ts'
import { openWatchedSponsors } from './watched-sponsors.ts'

export interface FacilitatorParts {
  readonly config: Pick<ServeConfig, 'networks' | 'reconcileIntervalMs'> &
    Partial<
      Pick<ServeConfig, 'publicUrl' | 'serviceFee' | 'settlementRetentionDays' | 'trustedProxyHops'>
    >
  /** Opened, with its schema up to date. The caller closes it after the facilitator. */
  readonly store: Store
  readonly logger: Logger
  readonly metrics: Metrics
  /** Where spans go. @default nowhere */
  readonly tracer?: Tracer
  readonly clock: SteadyClock
  /** Version of the build, shown by `/health`. @default 'dev' */
  readonly version?: string
  /** The API keys accepted on networks with `requireApiKey`. @default none */
  readonly keys?: ApiKeys
  /** Opens the RPC client of a network. @default a pool of its endpoints */
  readonly rpcFor?: (config: NetworkConfig) => NetworkRpc | Promise<NetworkRpc>
  /** Ends the start: then `openFacilitator` throws the signal's reason. @default nothing does */
  readonly stop?: AbortSignal
  /** Absent: the catalog is off. */
  readonly catalog?: CatalogHooks | undefined
  /** Changes to the default timings; tests shorten them. */
  readonly timings?: Partial<Timings>
}

/** A running facilitator. Disposing of it ends its background work. */
export interface Facilitator extends AsyncDisposable {
  readonly networks: ReadonlyMap<string, ServedNetwork>
  /** Adds its routes to the server. Call it once, before the server listens. */
  readonly routes: (app: HttpServer['app']) => void
  /** Readiness checks of each network: `<network>:rpc`, `:sponsor` and `:channels`. */
  readonly checks: ReadinessChecks
  /** Passes once it could settle on one network, and then for ever. */
  readonly settledOnce: ReadinessCheck
  readonly health: HealthMonitor
}

/**
 * Builds the facilitator from its modules; resolves once it can take payments on the networks that answer.
 */
export async function openFacilitator(parts: FacilitatorParts): Promise<Facilitator> {
  const { config, store, logger: log, metrics, tracer = noTracer, clock } = parts
  const stop = new AbortController()
  const timings = { ...defaultTimings, ...parts.timings }
  const deps = { store, clock, log, metrics, tracer, timings, signal: stop.signal }
  const owner = `${hostname()}/${randomUUID()}`
  const sponsors = config.networks.map((each) => openWatchedSponsors(each, deps))
  const closeSponsors = () => Promise.all(sponsors.map((each) => each[Symbol.asyncDispose]()))
  let watched: Pick<HealthMonitor, 'termsOf'> | undefined
  // Before the networks are opened: that may take long, and creates channels.
  const heartbeats = startHeartbeats({
    ...deps,
    replica: owner,
    termsOf: (network) => watched?.termsOf(network),
    sponsors: sponsors.map(({ id, keys }) => ({ network: id, sponsor: keys.address })),
  })
  const opening = Promise.all(
    config.networks.map((each) => {
      const own = sponsors.find(({ id }) => id === each.id)
      if (!own) throw new Error(`no sponsor of ${each.id} is open`)
      return openConfigured(each, own, deps, parts.rpcFor)
    }),
  )
  const opened = await untilAborted(parts.stop ?? stop.signal, opening).catch(
    async (error: unknown) => {
      stop.abort(error)
      await heartbeats[Symbol.asyncDispose]()
      await closeSponsors()
      throw error
    },
  )
  const networks = new Map(opened.map((network) => [network.id, network]))

  const follower = new SettlementFollower(deps)
  const { serviceFee = asUsdUnits(0n) } = config
  const settler = new Settler({
    ...deps,
    follower,
    owner,
    serviceFee,
    isCataloging: parts.catalog !== undefined,
  })
  const keyed = new Set(
    config.networks.filter(({ requireApiKey }) => requireApiKey).map(({ id }) => id),
  )
  const { keys = new ApiKeys(clock) } = parts
  const meter = meterUsage({ ...deps, keys }, owner)
  const keyGate = new KeyGate({ keys, networks: keyed })
  const everyMs = config.reconcileIntervalMs
  const reconciler = new Reconciler({ ...deps, networks, follower, everyMs })
  reconciler.start()
  startRetention({ ...deps, networks: opened, keptDays: config.settlementRetentionDays })
  const { health, counterWriter } = watchHealth(opened, deps, {
    version: parts.version,
    hasCatalog: parts.catalog !== undefined,
  })
  watched = health
  const keepers = opened.flatMap((network) => {
    const keys = sponsors.find(({ id }) => id === network.id)?.keys
    const { upto } = network
    if (!keys || !upto?.keeper.enabled) return []
    const { contract, keeper } = upto
    return [startKeeper({ network, contract, keeper, keys, replica: owner }, deps)]
  })
  const freedChannels = store.listenForFreedChannels({
    clock,
    onFreed: (network) => {
      for (const { id, channelQueue } of opened) {
        if (network === undefined || network === id) channelQueue.freed()
      }
    },
    onError: onBackgroundError(
      { log, metrics },
      'channel_news',
      'Could not listen for freed channels',
    ),
    onPooled: () =>
      log.warn(
        'A connection pooler shares the connection to the database: a settlement that waits learns of a channel freed by another replica within a second, not at once; set DATABASE_DIRECT_URL',
      ),
  })
  return {
    networks,
    routes: (app) => {
      facilitatorRoutes(app, {
        networks,
        settler,
        keyGate,
        trustedProxyHops: config.trustedProxyHops ?? 0,
        metrics,
        log,
        tracer,
        meter,
        db: store.db,
        serviceFee,
        settlementRetentionDays: config.settlementRetentionDays,
        clock,
        catalog: parts.catalog,
        proofs: signerProofs({
          networks: () => networks.values(),
          publicUrl: config.publicUrl,
          clock,
        }),
      })
      exposeHealth(app, health)
      exposeStartPage(app, { networks, keyed, health }, config)
    },
    checks: Object.assign({}, ...opened.map((network) => readinessOf(network, clock))),
    settledOnce: settledOnce(opened, clock),
    health,
    [Symbol.asyncDispose]: async () => {
      await reconciler.once()
      const limit = { clock, ms: timings.stopWaitMs }
      await withTimeLimit(limit, () => follower.idle()).catch(undefinedWhenLate)
      stop.abort(new Error('the facilitator is stopping'))
      await withTimeLimit(limit, () => counterWriter.write()).catch(undefinedWhenLate)
      await Promise.all(keepers.map((keeper) => keeper[Symbol.asyncDispose]()))
      await freedChannels[Symbol.asyncDispose]()
      await meter[Symbol.asyncDispose]()
      await heartbeats[Symbol.asyncDispose]()
      await closeSponsors()
    },
  }
}
