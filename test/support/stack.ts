import { randomBytes } from 'node:crypto'
import { uptoContract } from '../../src/localnet/genesis/upto-contract.ts'
import { type LocalnetServer, startLocalnetServer } from '../../src/localnet/server/server.ts'
import type { CatalogHooks } from '../../src/payments/api/catalog-hooks.ts'
import type { SponsorMembers } from '../../src/payments/channels/sponsor-keys.ts'
import type { Timings } from '../../src/payments/engine/timings.ts'
import { asStroops } from '../../src/platform/core/amounts/stroops.ts'
import { asUsdUnits, type UsdUnits } from '../../src/platform/core/amounts/usd.ts'
import { passphrases, usdcContracts } from '../../src/platform/core/caip2.ts'
import { type SteadyClock, systemClock } from '../../src/platform/core/time/clock.ts'
import { openStore, type Store, type StoreOptions } from '../../src/platform/database/open.ts'
import { ApiKeys } from '../../src/platform/http/access/api-keys.ts'
import { exposeMetrics } from '../../src/platform/http/admin.ts'
import { exposeReadiness, readinessRoute } from '../../src/platform/http/readiness.ts'
import { createHttpServer, type HttpServer } from '../../src/platform/http/server/server.ts'
import { createLogger, type Logger } from '../../src/platform/telemetry/logs/logger.ts'
import { createMetrics, type Metrics } from '../../src/platform/telemetry/metrics/metrics.ts'
import { noTracer, type Tracer } from '../../src/platform/telemetry/traces/tracer.ts'
import {
  type Facilitator,
  type FacilitatorParts,
  openFacilitator,
} from '../../src/service/facilitator/open-facilitator.ts'
import { openApiDocument } from '../../src/service/openapi/document.ts'
import { openApiRoute } from '../../src/service/openapi/routes.ts'
import { serveDocument } from '../../src/service/openapi/serve-document.ts'
import { type RateLimitParts, rateLimit } from '../../src/service/server/rate-limit.ts'
import { defaultAssets } from '../../src/settings/sections/assets.ts'
import type { NetworkConfig } from '../../src/settings/sections/network-settings.ts'
import { type Signer, secretOfSeed, signerFromSeed } from '../../src/stellar/accounts/signer.ts'
import { genesisAt } from './genesis.ts'
import { expectDescribed } from './openapi.ts'
import { freshDatabase } from './postgres.ts'
import { PromptLocalnet } from './prompt-localnet.ts'

/** Made once: it costs as much as the rest of a server. */
const openApi = openApiDocument('test')

export const usdc = usdcContracts['stellar:testnet']
/** Stroops, and base units of USDC. */
export const unit = 10_000_000n

/** A request to a network in the same process waits while that computes; a test of the time limit has its own. */
const PATIENT_RPC_MS = 60_000

export interface StackOptions {
  /**
   * `manual`: a test closes every ledger itself; `on-send`: one closes whenever something was sent,
   * until the test holds the network. @default 'manual'
   */
  readonly closeEveryMs?: number | 'manual' | 'on-send'
  readonly tls?: boolean
  /** Seconds by which each ledger closes after the one before, at least. @default 1 */
  readonly closeTimeStep?: number
  /** How many ledgers the network keeps. @default a day's */
  readonly retainLedgers?: number
  /** Soroban transactions of one ledger; a settlement counts as two. @default testnet's */
  readonly ledgerMaxTxCount?: number
  /**
   * Seed of a random order of the entry changes in meta. @default SHUFFLE_CHANGES of the environment, so
   * that all tests can run with it once; without it the order of the writes
   */
  readonly shuffleChanges?: number
  /** @default a database of its own on the Postgres of the run: a Postgres in this process costs three CPU seconds */
  readonly store?: StoreOptions
  /** Changes of the default settings; may depend on what is put on the ledger first. */
  readonly network?:
    | Partial<NetworkConfig>
    | ((localnet: LocalnetServer) => Promise<Partial<NetworkConfig>>)
  /**
   * Serves the scheme `upto` too, through the contract that the network has from genesis on. Its keeper is off:
   * a test of it sets `network.upto`. @default false
   */
  readonly upto?: boolean
  readonly timings?: Partial<Timings>
  /** Pause between rounds of the reconciler. @default 5000 */
  readonly reconcileIntervalMs?: number
  /** @default all settlements are kept */
  readonly settlementRetentionDays?: number
  readonly clock?: SteadyClock
  /** Known API keys: for a network with `requireApiKey`, and for `/usage`. */
  readonly keys?: ApiKeys
  /** Accrued by a successful settlement. @default nothing */
  readonly serviceFee?: UsdUnits
  /** Requests one client may make in a minute. @default no limit */
  readonly perMinute?: number
  /** Requests that may carry one of `keys` in a minute. @default no limit */
  readonly perKeyPerMinute?: number
  /** @default nothing is logged */
  readonly logger?: Logger
  /** @default nothing is traced */
  readonly tracer?: Tracer
  /** Of the store, metrics and clock of the stack. @default the catalog is off */
  readonly catalog?: (deps: CatalogDeps) => CatalogHooks
  /** A proxy in front of the network; takes the network's address and returns its own. */
  readonly rpcThrough?: (rpcUrl: string) => string
}

interface CatalogDeps {
  readonly store: Store
  readonly clock: SteadyClock
  readonly metrics: Metrics
  readonly log: Logger
}

/** A facilitator over HTTP on an embedded network, all in this process, on free ports. */
export interface Stack extends AsyncDisposable {
  readonly localnet: LocalnetServer
  readonly store: Store
  readonly metrics: Metrics
  readonly facilitator: Facilitator
  readonly sponsor: Signer
  readonly baseUrl: string
  /** Hashes of the transactions that the network has accepted, in order. */
  readonly taken: readonly string[]
  post(path: '/verify' | '/settle', body: unknown): Promise<Answer>
  get(path: string): Promise<Answer>
  /** Stops the ledgers that close on sending, and lets them go on: `on-send` only. */
  hold(isHeld: boolean): void
  /** Ends the facilitator and opens another one over the same store, network and keys. */
  restart(): Promise<void>
  /**
   * Opens another facilitator beside this one, over the same store and network, by default with the same keys and
   * catalog; or with these seeds.
   */
  replica(
    keys?: 'same sponsor' | 'another sponsor' | SponsorMembers,
    catalog?: StackOptions['catalog'],
  ): Promise<Replica>
}

export interface Replica extends AsyncDisposable {
  readonly facilitator: Facilitator
  readonly baseUrl: string
  post(path: '/verify' | '/settle', body: unknown): Promise<Answer>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came over the wire
  readonly body: any
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  await using opened = new AsyncDisposableStack()
  const { closeEveryMs = 'manual', tls = false, clock = systemClock } = options
  const timings = { rpcTimeoutMs: PATIENT_RPC_MS, ...options.timings }
  const { keys: apiKeys = new ApiKeys(clock) } = options
  const { logger = createLogger({ level: 'silent' }) } = options
  const { retainLedgers, ledgerMaxTxCount, closeTimeStep } = options
  const { SHUFFLE_CHANGES: seed } = process.env
  const { shuffleChanges = seed ? Number(seed) : undefined } = options
  const network = new PromptLocalnet({
    clock,
    snapshot: await genesisAt(clock.now(), ledgerMaxTxCount),
    ...(retainLedgers && { retainLedgers }),
    ...(ledgerMaxTxCount && { ledgerMaxTxCount }),
    ...(closeTimeStep && { minCloseTimeStep: closeTimeStep }),
    ...(shuffleChanges !== undefined && { shuffleChanges }),
  })
  network.isHeld = closeEveryMs !== 'on-send'
  const pace = closeEveryMs === 'on-send' ? 'manual' : closeEveryMs
  const localnet = opened.use(
    await startLocalnetServer({ network, closeEveryMs: pace, tls, clock }),
  )
  const store = opened.use(await openStore(options.store ?? (await ownDatabase(opened))))
  // A database of its own is a copy of a migrated one.
  if (options.store) await store.migrate()
  // After what takes long on a busy machine: where ledgers close on sending only, this one's time is
  // what the channels' transaction is valid from, and in a minute nothing could be sent any more.
  const { signer: sponsor, secret } = await fundedSponsor(localnet)
  const metrics = createMetrics()
  const overrides =
    typeof options.network === 'function' ? await options.network(localnet) : options.network
  const rpcUrl = options.rpcThrough?.(localnet.httpUrl) ?? localnet.httpUrl
  const config = {
    reconcileIntervalMs: options.reconcileIntervalMs ?? 5_000,
    settlementRetentionDays: options.settlementRetentionDays,
    serviceFee: options.serviceFee ?? asUsdUnits(0n),
    networks: [networkConfig(rpcUrl, secret, { ...(options.upto && { upto }), ...overrides })],
  }
  const open = (
    own: Metrics = metrics,
    keys: Partial<NetworkConfig> = {},
    catalog = options.catalog,
  ) =>
    closingLedgers(localnet, closeEveryMs, () =>
      openService({
        config: withKeys(config, keys),
        keys: apiKeys,
        perMinute: options.perMinute ?? 0,
        perKeyPerMinute: options.perKeyPerMinute ?? 0,
        logger,
        store,
        clock,
        timings,
        metrics: own,
        catalog: catalog?.({ store, clock, metrics: own, log: logger }),
        tracer: options.tracer ?? noTracer,
      }),
    )
  let service = await open()
  opened.defer(() => service[Symbol.asyncDispose]())
  const resources = opened.move()
  return {
    localnet,
    store,
    metrics,
    sponsor,
    taken: network.taken,
    get facilitator() {
      return service.facilitator
    },
    get baseUrl() {
      return service.baseUrl
    },
    post: (path, body) => service.post(path, body),
    get: (path) => call(service.baseUrl + path),
    hold: (isHeld) => {
      network.isHeld = isHeld
    },
    restart: async () => {
      await service[Symbol.asyncDispose]()
      service = await open()
    },
    replica: async (keys = 'same sponsor', catalog = options.catalog) => {
      if (typeof keys === 'object') return open(createMetrics(), keys, catalog)
      if (keys === 'same sponsor') return open(createMetrics(), {}, catalog)
      const another = await fundedSponsor(localnet)
      return open(createMetrics(), { sponsorSecret: another.secret }, catalog)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function ownDatabase(opened: AsyncDisposableStack): Promise<StoreOptions> {
  const { url } = opened.use(await freshDatabase())
  return { kind: 'postgres', url, poolSize: 10, statementTimeoutMs: 10_000 }
}

async function fundedSponsor(localnet: LocalnetServer) {
  const seed = randomBytes(32)
  const signer = signerFromSeed(seed)
  await localnet.pay({ address: signer.address, asset: 'XLM', amount: 1_000n * unit })
  return { signer, secret: secretOfSeed(seed) }
}

const withKeys = <Config extends { readonly networks: readonly NetworkConfig[] }>(
  config: Config,
  keys: Partial<NetworkConfig>,
) => ({ ...config, networks: config.networks.map((network) => ({ ...network, ...keys })) })

async function openService(
  parts: FacilitatorParts &
    RateLimitParts & { readonly perMinute: number; readonly perKeyPerMinute: number },
): Promise<Replica> {
  await using opened = new AsyncDisposableStack()
  const { logger } = parts
  const facilitator = opened.use(await openFacilitator(parts))
  const server: HttpServer = opened.use(createHttpServer({ logger, rateLimit: limitOf(parts) }))
  facilitator.routes(server.app)
  serveDocument(server.app, openApiRoute, openApi)
  exposeMetrics(server.app, parts.metrics)
  exposeReadiness(server.app, readinessRoute, facilitator.checks)
  const { url: baseUrl } = await server.listen({ host: '127.0.0.1', port: 0 })
  const resources = opened.move()
  return {
    facilitator,
    baseUrl,
    post: (path, body) => call(baseUrl + path, body),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Shared between the replicas of a stack, whatever its store. */
const limitOf = (parts: Parameters<typeof openService>[0]) =>
  rateLimit(
    {
      rateLimitPerMinute: parts.perMinute,
      rateLimitPerKeyPerMinute: parts.perKeyPerMinute,
      trustedProxyHops: 0,
      store: { kind: 'postgres' },
    },
    parts,
  )

const upto: NonNullable<NetworkConfig['upto']> = {
  contract: uptoContract(passphrases['stellar:testnet']),
  keeper: { enabled: false, autoRestore: true, floorLedgers: 241_920, targetLedgers: 518_400 },
}

const networkConfig = (
  rpcUrl: string,
  sponsorSecret: string,
  overrides: Partial<NetworkConfig> = {},
): NetworkConfig => ({
  id: 'stellar:testnet',
  rpcUrls: [rpcUrl],
  rpcHeaders: [],
  sponsorSecret,
  sponsorSigner: undefined,
  sponsorAddress: undefined,
  channelSecret: undefined,
  signerTimeoutMs: 3_000,
  channelCount: 3,
  autoProvisionChannels: true,
  assets: defaultAssets('stellar:testnet'),
  maxTxFeeStroops: asStroops(300_000n),
  maxKeyShareOfBudgetPercent: 100,
  inclusionFee: {
    floorStroops: asStroops(100n),
    capStroops: asStroops(10_000n),
    percentile: 'p90',
  },
  sponsorReserve: asStroops(5n * unit),
  minSponsorBalance: asStroops(25n * unit),
  expirationMarginLedgers: 1,
  timeoutMinSeconds: 10,
  timeoutMaxSeconds: 300,
  payers: { limitToFunds: true, pause: { failures: 3, windowSeconds: 300, pauseSeconds: 60 } },
  requireApiKey: false,
  watchedContracts: [],
  hourlyBudget: undefined,
  previousSponsorSecret: undefined,
  nextSponsorSecret: undefined,
  previousSponsorAddress: undefined,
  previousChannelSecret: undefined,
  nextSponsorAddress: undefined,
  nextChannelSecret: undefined,
  ...overrides,
})

/** Closes ledgers until the work is done, on networks where a test closes them. */
async function closingLedgers<T>(
  localnet: LocalnetServer,
  closeEveryMs: number | 'manual' | 'on-send',
  work: () => Promise<T>,
): Promise<T> {
  if (closeEveryMs !== 'manual') return work()
  const done = new AbortController()
  const closing = (async () => {
    while (!done.signal.aborted) {
      await localnet.closeLedger()
      await systemClock.sleep(20, done.signal).catch(() => undefined)
    }
  })()
  try {
    return await work()
  } finally {
    done.abort()
    await closing
  }
}

async function call(url: string, body?: unknown): Promise<Answer> {
  const response = await fetch(
    url,
    body === undefined
      ? {}
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        },
  )
  const answer = { status: response.status, headers: response.headers, body: await response.json() }
  expectDescribed({
    method: body === undefined ? 'GET' : 'POST',
    path: new URL(url).pathname,
    ...answer,
  })
  return answer
}
