import { randomBytes } from 'node:crypto'
import { type Facilitator, openFacilitator } from '../../src/cli/facilitator.ts'
import { defaultAssets } from '../../src/config/assets.ts'
import type { NetworkConfig } from '../../src/config/network-settings.ts'
import { usdcContracts } from '../../src/core/caip2.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { asStroops } from '../../src/core/stroops.ts'
import type { Timings } from '../../src/facilitator/timings.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { type LocalnetServer, startLocalnet } from '../../src/localnet/server.ts'
import { type Signer, secretOfSeed, signerFromSeed } from '../../src/stellar/signer.ts'
import { openStore, type Store, type StoreOptions } from '../../src/store/open.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.ts'

export const usdc = usdcContracts['stellar:testnet']
/** Stroops, and base units of USDC. */
export const unit = 10_000_000n

export interface StackOptions {
  /** @default 'manual': a test closes every ledger itself */
  readonly closeEveryMs?: number | 'manual'
  readonly tls?: boolean
  readonly store?: StoreOptions
  readonly network?: Partial<NetworkConfig>
  readonly timings?: Partial<Timings>
  readonly clock?: Clock
  /** Stands between the facilitator and the network; given the network's address, answers its own. */
  readonly rpcThrough?: (rpcUrl: string) => string
}

/** A facilitator over HTTP on an embedded network, all in this process, on free ports. */
export interface Stack extends AsyncDisposable {
  readonly localnet: LocalnetServer
  readonly store: Store
  readonly metrics: Metrics
  readonly facilitator: Facilitator
  readonly sponsor: Signer
  readonly baseUrl: string
  post(path: '/verify' | '/settle', body: unknown): Promise<Answer>
  get(path: string): Promise<Answer>
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
  const localnet = opened.use(await startLocalnet({ closeEveryMs, tls, clock }))
  const seed = randomBytes(32)
  const sponsor = signerFromSeed(seed)
  await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: 1_000n * unit })
  const store = opened.use(await openStore(options.store ?? { kind: 'memory' }))
  await store.migrate()
  const logger = createLogger({ level: 'silent' })
  const metrics = createMetrics()
  const rpcUrl = options.rpcThrough?.(localnet.httpUrl) ?? localnet.httpUrl
  const config = { networks: [networkConfig(rpcUrl, secretOfSeed(seed), options.network)] }
  const { timings = {} } = options
  const facilitator = opened.use(
    await closingLedgers(localnet, closeEveryMs, () =>
      openFacilitator({ config, store, logger, metrics, clock, timings }),
    ),
  )
  const server = opened.use(createHttpServer({ logger }))
  facilitator.routes(server.app)
  const { url: baseUrl } = await server.listen({ host: '127.0.0.1', port: 0 })
  const resources = opened.move()
  return {
    localnet,
    store,
    metrics,
    facilitator,
    sponsor,
    baseUrl,
    post: (path, body) => call(baseUrl + path, body),
    get: (path) => call(baseUrl + path),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const networkConfig = (
  rpcUrl: string,
  sponsorSecret: string,
  overrides: Partial<NetworkConfig> = {},
): NetworkConfig => ({
  id: 'stellar:testnet',
  rpcUrls: [rpcUrl],
  sponsorSecret,
  channelCount: 3,
  autoProvisionChannels: true,
  assets: defaultAssets('stellar:testnet'),
  maxTxFeeStroops: asStroops(300_000n),
  inclusionFee: {
    floorStroops: asStroops(100n),
    capStroops: asStroops(10_000n),
    percentile: 'p90',
  },
  sponsorReserve: asStroops(5n * unit),
  expirationMarginLedgers: 1,
  timeoutMinSeconds: 10,
  timeoutMaxSeconds: 300,
  ...overrides,
})

/** Closes ledgers for as long as the work needs them, where none close by themselves. */
export async function closingLedgers<T>(
  localnet: LocalnetServer,
  closeEveryMs: number | 'manual',
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
  return { status: response.status, headers: response.headers, body: await response.json() }
}
