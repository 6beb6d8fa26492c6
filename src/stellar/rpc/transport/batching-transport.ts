import { AnswerTooLarge } from '../../../platform/core/errors/read-answer.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { noLongerNeeded } from '../../../platform/core/time/no-longer-needed.ts'
import { RpcError } from '../rpc.ts'
import { BatchLimits } from './batch-limits.ts'
import { type EncodedRequest, type JsonRpcResponse, postJsonRpc } from './post-json-rpc.ts'
import { type QueueBounds, RequestQueue } from './request-queue.ts'
import { HttpRefusal, isBatchRefused, toRpcError } from './transport-errors.ts'

/** An HTTP request holds up the queue for no longer than this. */
const MAX_HOLD_MS = 150
/** HTTP requests in flight: of batches, and of single requests where the endpoint accepts no batches. */
const MAX_BATCHES_IN_FLIGHT = 16
const MAX_SINGLES_IN_FLIGHT = 32

export interface TransportOptions extends QueueBounds {
  readonly url: URL
  /** For one HTTP request, its answer included. */
  readonly timeoutMs: number
  /** Size limit of one answer. @default `MAX_ANSWER_BYTES` */
  readonly maxAnswerBytes?: number | undefined
  /** @default that of node */
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A request that has waited this long is refused, in milliseconds. */
  readonly maxWaitMs: number
  readonly clock: Clock
  /** While this many HTTP requests are on their way, further JSON-RPC requests queue for the next batch. */
  readonly holdWhileInFlight: number
  /** Requests are sent one by one, at most this many side by side. @default they are batched */
  readonly singlesInFlight?: number
  /** Called after each change. */
  readonly onLength: (length: number) => void
}

interface QueuedRequest extends EncodedRequest {
  readonly queuedAt: number
  /** Ends the wait, whether the request was sent or not. */
  readonly signal: AbortSignal | undefined
  readonly resolve: (response: JsonRpcResponse) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends JSON-RPC requests of one kind to one endpoint. With few in flight each request goes out at once in
 * an HTTP request of its own. With more, requests queue and go out together as a JSON-RPC 2.0 batch, of the
 * size that the endpoint accepts: batches grow with the load and cost nothing without it. The queue is
 * bounded, and waiting in it does not count against the time limit of a request: it is no fault of the endpoint.
 */
export class BatchingTransport {
  readonly #options: TransportOptions
  readonly #queue: RequestQueue<QueuedRequest>
  readonly #batches: BatchLimits
  #inFlight = 0
  #holding = 0
  #reportedLength = 0
  #expiring: AbortController | undefined

  constructor(options: TransportOptions) {
    this.#options = options
    this.#queue = new RequestQueue(options)
    this.#batches = new BatchLimits(
      options.clock,
      options.singlesInFlight === undefined ? undefined : 1,
    )
  }

  /**
   * Rejects with `RpcError` when no response arrives or the queue is full, and with the signal's reason
   * when it aborts.
   */
  exchange(request: EncodedRequest, signal?: AbortSignal): Promise<JsonRpcResponse> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const { promise, resolve, reject } = Promise.withResolvers<JsonRpcResponse>()
    const queuedAt = this.#options.clock.now()
    const queued: QueuedRequest = { ...request, queuedAt, signal, resolve, reject }
    if (!this.#queue.add(queued)) return Promise.reject(queueFull(queued))
    const cancel = () => {
      // One that is still queued is never sent.
      this.#queue.remove(queued)
      this.#queueChanged()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', cancel, { once: true })
    this.#sendNext()
    return promise.finally(() => signal?.removeEventListener('abort', cancel))
  }

  #sendNext(): void {
    while (this.#queue.length > 0 && this.#maySend()) {
      const batch = this.#queue.take(this.#batches.current)
      this.#inFlight += 1
      this.#holding += 1
      let isHolding = true
      const release = () => {
        if (!isHolding) return
        isHolding = false
        this.#holding -= 1
        this.#sendNext()
      }
      AbortSignal.timeout(MAX_HOLD_MS).addEventListener('abort', release, { once: true })
      void this.#send(batch).finally(() => {
        this.#inFlight -= 1
        if (isHolding) release()
        else this.#sendNext()
      })
    }
    this.#queueChanged()
  }

  #maySend(): boolean {
    const { singlesInFlight = MAX_SINGLES_IN_FLIGHT, holdWhileInFlight } = this.#options
    if (this.#batches.current.requests === 1) return this.#inFlight < singlesInFlight
    const maxHolding = holdWhileInFlight * this.#batches.perFullBatch
    return this.#inFlight < MAX_BATCHES_IN_FLIGHT && this.#holding < maxHolding
  }

  async #send(batch: readonly QueuedRequest[], isHalf = false): Promise<void> {
    const { url, timeoutMs, maxAnswerBytes: maxBytes, fetch, headers } = this.#options
    const timeout = AbortSignal.timeout(timeoutMs)
    const ended = new AbortController()
    try {
      const signal = AbortSignal.any([timeout, whenAllAbort(batch, ended.signal)])
      const responses = await postJsonRpc(url, batch, signal, { maxBytes, fetch, headers })
      batch.forEach(({ method, resolve, reject }, index) => {
        const response = responses.get(index + 1)
        if (response) resolve(response)
        else reject(new RpcError('unreadable', method, 'the answer leaves this request out'))
      })
    } catch (error) {
      if (batch.length > 1 && isBatchRefused(error)) return this.#sendSmaller(batch, error)
      const isOfOne = hasStatus(error, 500) || error instanceof AnswerTooLarge
      if (batch.length > 1 && !isHalf && isOfOne) return this.#sendHalves(batch, error)
      for (const { method, reject } of batch) {
        const late = `no answer within ${timeoutMs} ms`
        if (!timeout.aborted) reject(toRpcError(method, error))
        else reject(new RpcError('transport', method, late, { cause: error }))
      }
    } finally {
      ended.abort(noLongerNeeded)
    }
  }

  /** The endpoint has processed nothing of a batch that it refused. */
  #sendSmaller(batch: readonly QueuedRequest[], refusal: unknown): void {
    const bytes = batch.reduce((total, each) => total + each.bytes, 0)
    this.#batches.refused({ requests: batch.length, bytes }, hasStatus(refusal, 413))
    this.#queue.putBack(batch.filter(({ signal }) => !signal?.aborted))
  }

  /**
   * HTTP 500 or an answer that is too large may be the effect of one request, so each half is sent once more. A transaction is not: what
   * the second answer would mean depends on whether the first request passed it on.
   */
  async #sendHalves(batch: readonly QueuedRequest[], error: unknown): Promise<void> {
    const sends = batch.filter(({ method }) => method === 'sendTransaction')
    for (const { method, reject } of sends) reject(toRpcError(method, error))
    const others = batch.filter((each) => !sends.includes(each) && !each.signal?.aborted)
    const middle = Math.ceil(others.length / 2)
    const halves = [others.slice(0, middle), others.slice(middle)]
    await Promise.all(halves.map((half) => half.length > 0 && this.#send(half, true)))
  }

  #queueChanged(): void {
    const { length } = this.#queue
    if (length !== this.#reportedLength) this.#options.onLength(length)
    this.#reportedLength = length
    if (length > 0) {
      this.#startExpiring()
    } else {
      this.#expiring?.abort()
      this.#expiring = undefined
    }
  }

  /** Refuses requests that have waited too long, for as long as any wait. */
  #startExpiring(): void {
    if (this.#expiring) return
    const stop = new AbortController()
    this.#expiring = stop
    void this.#expire(stop.signal).catch(() => undefined)
  }

  async #expire(stop: AbortSignal): Promise<void> {
    const { clock, maxWaitMs } = this.#options
    for (;;) {
      const oldest = this.#queue.oldest?.queuedAt ?? clock.now()
      await clock.sleep(Math.max(0, oldest + maxWaitMs - clock.now()), stop)
      const late = this.#queue.takeQueuedBy(clock.now() - maxWaitMs)
      for (const request of late) request.reject(queueFull(request))
      this.#queueChanged()
      stop.throwIfAborted()
    }
  }
}

const queueFull = ({ method }: EncodedRequest): RpcError =>
  new RpcError('queue_full', method, 'too many requests wait for this endpoint', {
    wasRefused: true,
  })

const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof HttpRefusal && error.response.status === status

/** Aborts once the signal of every request has; listens until `ended`, since signals may live long. */
function whenAllAbort(requests: readonly QueuedRequest[], ended: AbortSignal): AbortSignal {
  const all = new AbortController()
  let left = requests.length
  for (const { signal } of requests) {
    const leave = () => {
      left -= 1
      if (left === 0) all.abort(signal?.reason)
    }
    if (signal?.aborted) leave()
    else signal?.addEventListener('abort', leave, { once: true, signal: ended })
  }
  return all.signal
}
