import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type onSendHookHandler,
} from 'fastify'
import { Fault } from '../../core/errors/faults.ts'
import { type Clock, systemClock } from '../../core/time/clock.ts'
import type { Logger } from '../../telemetry/logs/logger.ts'
import type { RequestFacts } from '../../telemetry/metrics/metrics.ts'
import { addRateLimit, type RateLimitOptions } from '../rate-limit/rate-limit-hook.ts'
import { answerUnroutable, installRefusals } from '../refusals/refuse.ts'
import { BrokenRequests } from './broken-request.ts'
import { boundConnections, type ConnectionBounds, USUAL_BOUNDS } from './connections.ts'
import { headerFault } from './header-fault.ts'
import { acceptJsonOnly } from './json-body.ts'
import { KnownPaths } from './known-paths.ts'
import { LazyLogger } from './lazy-logger.ts'
import { type Address, listen } from './listen.ts'
import { OpenCount } from './open-count.ts'
import { allowEveryOrigin } from './public-read.ts'
import { cutUnread, SEND_TIMEOUT_MS } from './send-timeout.ts'
import { MOST_UNREAD_BYTES, UnreadAnswers } from './unread-answers.ts'
import { whenOver } from './when-over.ts'

/** A request that is not complete after this long is dropped, so that slow senders hold no sockets. */
const REQUEST_TIMEOUT_MS = 30_000
/** Node's own limit of a request's line and headers. */
const MAX_HEADER_BYTES = 16_384
/** How often Node checks the connections for such requests. */
const CHECKS_PER_TIMEOUT = 6

export interface HttpServerOptions {
  readonly logger: Logger
  /** Largest request body in bytes. */
  readonly bodyLimitBytes?: number
  /** How long a request may take to arrive. @default 30_000 */
  readonly requestTimeoutMs?: number
  /** How long a client may take nothing of its answer. @default 30_000 */
  readonly sendTimeoutMs?: number
  readonly connections?: ConnectionBounds
  /** Bytes of answers that wait until they are read. @default 64 MiB */
  readonly unreadBytes?: number
  /** Called for every answered request; feeds the latency metric. */
  readonly observe?: (facts: RequestFacts) => void
  readonly clock?: Clock
  /** @default no limit */
  readonly rateLimit?: RateLimitOptions | undefined
}

export interface HttpServer extends AsyncDisposable {
  /** Routes are declared here, before `listen`. */
  readonly app: FastifyInstance
  /** From the begin of `close` or `drain` on. */
  readonly isDraining: boolean
  /** Binds the port (0 picks a free one). Throws `PortUnavailable` when the port is taken or forbidden. */
  listen(address: { host: string; port: number }): Promise<Address>
  /** From now on refuses new requests with 503, and closes idle connections. */
  drain(): void
  /**
   * For `keepAliveMs` serves what still arrives, over new connections too, and ends each connection with its next
   * answer: a client that keeps connections learns of the end from an answer, not from a request that fails, and a
   * balancer that does not know of the end yet meets no closed port. Then drains, waits for the requests in flight, and
   * closes every connection. All this takes at most `graceMs`.
   * Resolves with the number of requests it had to cut off.
   */
  close(graceMs?: number, keepAliveMs?: number): Promise<number>
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { logger, bodyLimitBytes = 131_072, observe, clock = systemClock, rateLimit } = options
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = options
  const paths = new KnownPaths()
  const app = createApp({ logger, bodyLimitBytes, requestTimeoutMs, paths })
  const inFlight = new OpenCount()
  const leave = () => inFlight.leave()
  cutUnread(app.server, options.sendTimeoutMs ?? SEND_TIMEOUT_MS)
  boundConnections(app.server, options.connections ?? USUAL_BOUNDS)
  const unread = new UnreadAnswers(options.unreadBytes ?? MOST_UNREAD_BYTES)
  let isDraining = false
  let isRefusing = false

  app.addHook('onRoute', (route) => {
    paths.add(route.url, [route.method].flat(), route.config?.refusal)
    // After the route's own: these compress.
    route.onSend = [
      route.onSend ?? [],
      function count(request, reply, payload, done) {
        unread.add(request.raw, reply.raw, payload)
        done(null, payload)
      } satisfies onSendHookHandler,
    ].flat()
  })
  // Hooks with a callback, here and elsewhere: a promise would cost every request an event loop turn.
  app.addHook('onRequest', function receive(request, reply, done) {
    inFlight.enter()
    whenOver(request.raw, reply.raw, leave)
    reply.header('x-request-id', request.id)
    if (request.routeOptions.config.isPublicRead) allowEveryOrigin(request, reply)
    const isRefused = isRefusing && !request.routeOptions.config.isProbe
    done(headerFault(request.raw) ?? (isRefused ? new Fault('service_unavailable') : undefined))
  })
  // Also of a request that was in flight when the drain began: its connection would get the next one.
  app.addHook('onSend', function endConnection(_request, reply, payload, done) {
    if (isDraining) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('onResponse', function observeAnswered(request, reply, done) {
    const { method } = request
    const route = request.routeOptions.url ?? 'unmatched'
    const { statusCode: status, elapsedTime } = reply
    request.log.debug({ method, route, status, ms: Math.round(elapsedTime) }, 'Request answered')
    observe?.({ method, route, status, seconds: elapsedTime / 1_000 })
    done()
  })
  if (rateLimit) addRateLimit(app, rateLimit)
  acceptJsonOnly(app)
  installRefusals(app, paths)

  const drain = () => {
    isDraining = true
    isRefusing = true
    app.server.closeIdleConnections()
  }
  const close = async (graceMs = 0, keepAliveMs = 0) => {
    const stopWaiting = new AbortController()
    const after = (ms: number) => clock.sleep(ms, stopWaiting.signal).catch(() => {})
    const grace = after(graceMs)
    if (keepAliveMs > 0) {
      isDraining = true
      await Promise.race([after(keepAliveMs), grace])
    }
    drain()
    await Promise.race([inFlight.idle(), grace])
    stopWaiting.abort()
    const cutOff = inFlight.count
    app.server.closeAllConnections()
    await app.close()
    return cutOff
  }
  return {
    app,
    get isDraining() {
      return isDraining
    },
    listen: (address) => listen(app, address),
    drain,
    close,
    [Symbol.asyncDispose]: async () => {
      await close()
    },
  }
}

interface AppOptions extends Required<Pick<HttpServerOptions, 'logger' | 'bodyLimitBytes'>> {
  readonly requestTimeoutMs: number
  readonly paths: KnownPaths
}

function createApp({ logger, paths, ...limits }: AppOptions): FastifyInstance {
  const { bodyLimitBytes: bodyLimit, requestTimeoutMs: requestTimeout } = limits
  // The caller logs the address; fastify itself logs warnings and errors only.
  const ownLogger: FastifyBaseLogger = logger.child({}, { level: 'warn' })
  const broken = new BrokenRequests(paths)
  const app = Fastify({
    loggerInstance: ownLogger,
    childLoggerFactory: (_own, bindings) => new LazyLogger(logger, bindings),
    bodyLimit,
    requestIdHeader: false,
    logController: new Fastify.LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    genReqId: requestIdOf,
    requestTimeout,
    http: {
      // Must not be longer than `requestTimeout`: Node would swap the two.
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.ceil(requestTimeout / CHECKS_PER_TIMEOUT),
      // Node would answer without a body; see `headerFault`.
      requireHostHeader: false,
    },
    forceCloseConnections: true,
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => answerUnroutable(error, request, reply, paths),
    clientErrorHandler: (error, socket) => broken.answer(error, socket),
    // A base URL with a trailing slash makes clients request `//verify`; answer it, never redirect it.
    // Longer path parameters would be a path that does not exist; the headers' limit bounds them.
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: MAX_HEADER_BYTES,
    },
  })
  broken.watch(app.server)
  // An expectation may be ignored (RFC 9110, 10.1.1); Node would answer 417 without a body.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response)
  })
  return app
}

/** Ids that a caller may choose: short, and harmless in a log line or a header. */
const acceptableId = /^[A-Za-z0-9._:/+=-]{1,128}$/

/** The caller's `x-request-id` when it is acceptable, else a new one. */
function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && acceptableId.test(given) ? given : randomUUID()
}
