/** The facilitator inside another program: what the stock x402 servers take in place of a client of one. */
import type {
  PaymentPayload,
  PaymentRequirements,
  SettleResponse,
  SupportedResponse,
  VerifyResponse,
} from '@x402/core/types'
import { publicPaths } from '../platform/core/http-paths.ts'
import { AsyncDisposableStack } from '../platform/core/language/disposable-stack.ts'
import { systemClock } from '../platform/core/time/clock.ts'
import { openStore } from '../platform/database/open.ts'
import { createHttpServer } from '../platform/http/server/server.ts'
import { createLogger } from '../platform/telemetry/logs/logger.ts'
import { createMetrics } from '../platform/telemetry/metrics/metrics.ts'
import { openFacilitator } from '../service/facilitator/open-facilitator.ts'
import { namingOptions } from '../service/in-process/option-names.ts'
import type { FacilitatorOptions, LogOptions } from '../service/in-process/options.ts'
import { readOptions } from '../service/in-process/read-options.ts'
import { type Request, Requests } from '../service/in-process/requests.ts'

export { FacilitatorError } from '../service/in-process/facilitator-error.ts'
export type {
  AssetOptions,
  FacilitatorOptions,
  LogOptions,
  NetworkOptions,
  StoreOptions,
} from '../service/in-process/options.ts'

/** A running facilitator. It has the interface `FacilitatorClient` of `@x402/core`. */
export interface InProcessFacilitator extends AsyncDisposable {
  /** Whether a payment would settle; changes nothing. @throws FacilitatorError when there is no verdict */
  verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<VerifyResponse>
  /**
   * Settles a payment on the ledger, once: the same request again gets the same answer.
   * @throws FacilitatorError when there is no verdict
   */
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettleResponse>
  /** The served kinds of payment, and the accounts that sign for them. */
  getSupported(): Promise<SupportedResponse>
  /** Waits for the requests and the settlements under way, then ends all work and closes the store. May be called twice. */
  close(): Promise<void>
}

/**
 * Starts a facilitator in this process; resolves once it can take payments on the networks that answer. It reads no
 * environment variable, listens on no port, logs nothing unless asked, and leaves signals and the end of the process alone.
 * Any number may run in one process, and on one Postgres as replicas of each other.
 * @throws ConfigError or TypeError when an option is wrong, StoreUnavailable, RpcError when all endpoints serve another
 * network, ProvisionFailure when the sponsor cannot pay for the channels
 */
export function createFacilitator(options: FacilitatorOptions): Promise<InProcessFacilitator> {
  return start(options).catch((error) => {
    throw namingOptions(error)
  })
}

async function start(options: FacilitatorOptions): Promise<InProcessFacilitator> {
  const config = readOptions(options)
  const logger = loggerOf(options.log)
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openStore(config.store))
  await store.migrate()
  const facilitator = opened.use(
    await openFacilitator({
      config,
      store,
      logger,
      metrics: createMetrics(),
      clock: systemClock,
      ...(options.signal && { stop: options.signal }),
    }),
  )
  // The routes without a port: so nothing differs from a facilitator over HTTP.
  const server = createHttpServer({ logger })
  opened.use(server)
  facilitator.routes(server.app)
  await server.app.ready()
  const requests = opened.use(new Requests(server.app))
  const running = opened.move()
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= running.disposeAsync()
    return closing
  }
  return {
    verify: (...payment) => requests.verdict(toRequest(publicPaths.verify, payment)),
    settle: (...payment) => requests.verdict(toRequest(publicPaths.settle, payment)),
    getSupported: () => requests.verdict({ method: 'GET', url: publicPaths.supported }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Makes the request that the stock client of a facilitator sends. */
const toRequest = (
  url: string,
  [paymentPayload, paymentRequirements]: readonly [PaymentPayload, PaymentRequirements],
): Request => ({
  method: 'POST',
  url,
  payload: { x402Version: paymentPayload.x402Version, paymentPayload, paymentRequirements },
})

const loggerOf = (log: LogOptions | undefined) =>
  createLogger({
    level: log ? (log.level ?? 'info') : 'silent',
    // Without one, lines would go to standard output.
    destination: log ? { write: log.write } : { write: () => undefined },
  })
