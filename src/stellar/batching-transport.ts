import { z } from 'zod'
import { RpcError } from './rpc.ts'
import {
  BatchRefusal,
  HttpRefusal,
  isBatchRefused,
  refusalCodes,
  toRpcError,
} from './transport-errors.ts'

interface JsonRpcRequest {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>> | undefined
}

const responseSchema = z.object({
  id: z.unknown(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
})
export type JsonRpcResponse = z.output<typeof responseSchema>

/** While this many HTTP requests are in flight, further JSON-RPC requests queue for the next batch. */
const MAX_IN_FLIGHT = 2
/** An HTTP request holds up the queue for no longer than this. */
const MAX_QUEUE_MS = 150
/** A node processes such a batch in a fraction of its time limit, and accepts up to 512 KiB of it. */
const MAX_BATCH = 25

interface QueuedRequest extends JsonRpcRequest {
  /** Ends the wait, whether the request was sent or not. */
  readonly signal: AbortSignal
  readonly resolve: (response: JsonRpcResponse) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends JSON-RPC requests to one endpoint. With few in flight each request goes out at once in an HTTP
 * request of its own. With more, requests queue for a moment and go out together as a JSON-RPC 2.0
 * batch, unless the endpoint refuses batches: batches grow with the load and cost nothing without it.
 */
export class BatchingTransport {
  readonly #url: URL
  #inFlight = 0
  #queue: QueuedRequest[] = []
  #acceptsBatches = true

  constructor(url: URL) {
    this.#url = url
  }

  /** Rejects with `RpcError` when no response arrives, and with the signal's reason when it aborts. */
  exchange(request: JsonRpcRequest, signal: AbortSignal): Promise<JsonRpcResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<JsonRpcResponse>()
    const cancel = () => {
      // One that is still queued is never sent.
      this.#queue = this.#queue.filter((other) => other !== queued)
      reject(signal.reason)
    }
    const queued: QueuedRequest = { ...request, signal, resolve, reject }
    signal.addEventListener('abort', cancel, { once: true })
    this.#queue.push(queued)
    this.#sendNext()
    return promise.finally(() => signal.removeEventListener('abort', cancel))
  }

  #sendNext(): void {
    while (this.#queue.length > 0 && this.#inFlight < MAX_IN_FLIGHT) {
      const batch = this.#queue.splice(0, this.#acceptsBatches ? MAX_BATCH : 1)
      this.#inFlight += 1
      let isCounted = true
      const release = () => {
        if (!isCounted) return
        isCounted = false
        this.#inFlight -= 1
        this.#sendNext()
      }
      void this.#send(batch).finally(release)
      AbortSignal.timeout(MAX_QUEUE_MS).addEventListener('abort', release, { once: true })
    }
  }

  async #send(batch: readonly QueuedRequest[]): Promise<void> {
    try {
      const responses = await this.#post(batch)
      batch.forEach(({ method, resolve, reject }, index) => {
        const response = responses.get(index + 1)
        if (response) resolve(response)
        else reject(new RpcError('unreadable', method, 'the answer leaves this request out'))
      })
    } catch (error) {
      if (batch.length > 1 && isBatchRefused(error)) {
        this.#acceptsBatches = false
        this.#queue.unshift(...batch.filter(({ signal }) => !signal.aborted))
        return
      }
      for (const { method, reject } of batch) reject(toRpcError(method, error))
    }
  }

  /** Returns the responses by the id of their request, from 1. */
  async #post(batch: readonly QueuedRequest[]): Promise<ReadonlyMap<unknown, JsonRpcResponse>> {
    const requests = batch.map(({ method, params }, index) => ({
      jsonrpc: '2.0',
      id: index + 1,
      method,
      params,
    }))
    const [only] = requests
    const answer = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requests.length === 1 ? only : requests),
      signal: whenAllAbort(batch.map(({ signal }) => signal)),
      redirect: 'error',
    })
    const text = await answer.text()
    if (!answer.ok) throw new HttpRefusal(answer)
    const parsed: unknown = JSON.parse(text)
    // The id of a single response does not matter.
    if (requests.length === 1) return new Map([[1, responseSchema.parse(parsed)]])
    const single = responseSchema.safeParse(parsed)
    if (refusalCodes.has(single.data?.error?.code ?? 0)) throw new BatchRefusal('no batches')
    const responses = z.array(responseSchema).parse(parsed)
    return new Map(responses.map((response) => [response.id, response]))
  }
}

/** Aborts once every one of the signals has. */
function whenAllAbort(signals: readonly AbortSignal[]): AbortSignal {
  const all = new AbortController()
  let left = signals.length
  for (const signal of signals) {
    const leave = () => {
      left -= 1
      if (left === 0) all.abort(signal.reason)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  }
  return all.signal
}
