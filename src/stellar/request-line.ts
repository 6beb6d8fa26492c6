import { z } from 'zod'
import { retryAfterMs } from './retry-after.ts'
import { RpcError } from './rpc.ts'

export interface JsonRpcRequest {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>> | undefined
}

const responseSchema = z.object({
  id: z.unknown(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
})
export type JsonRpcResponse = z.output<typeof responseSchema>

/** JSON-RPC's codes for a request that was not even begun. */
export const refusedUnread: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602])

/** While so many requests are on their way, the next ones wait, and then go together. */
const AT_ONCE = 2
/** Milliseconds after which a request is waited for no longer by those behind it. */
const HOLD_MS = 150
/** A node works through a batch in a fraction of its time limit, and takes up to 512 KiB of it. */
const MOST_TOGETHER = 25

/** Statuses of doorkeepers: authentication, routing, size and rate limits. */
const refusals = new Set([400, 401, 403, 404, 405, 413, 415, 429])
/** Those that may be meant for the batch rather than for what is in it. */
const refusalsOfBatches = new Set([400, 404, 405, 413, 415])

interface Waiting extends JsonRpcRequest {
  /** Ends the waiting, sent or not. */
  readonly signal: AbortSignal
  readonly resolve: (response: JsonRpcResponse) => void
  readonly reject: (error: unknown) => void
}

class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal'
  readonly response: Response

  constructor(response: Response) {
    super(`the endpoint answered HTTP ${response.status}`)
    this.response = response
  }
}

/** A batch was answered as if it were one request that makes no sense. */
class BatchRefusal extends Error {
  override readonly name = 'BatchRefusal'
}

/**
 * The way to one endpoint. Alone, a request goes at once and by itself; while others are on their way,
 * the next ones wait a moment for one to come back and then go together, as a batch of JSON-RPC 2.0,
 * unless the endpoint takes none. So batches grow with the load, and nobody waits without any.
 */
export class RequestLine {
  readonly #url: URL
  #underWay = 0
  #waiting: Waiting[] = []
  #takesBatches = true

  constructor(url: URL) {
    this.#url = url
  }

  /** Rejects with RpcError without a response, and with the signal's reason when it aborts. */
  exchange(request: JsonRpcRequest, signal: AbortSignal): Promise<JsonRpcResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<JsonRpcResponse>()
    const leave = () => {
      // Not sent yet, it never will be.
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      reject(signal.reason)
    }
    const waiting: Waiting = { ...request, signal, resolve, reject }
    signal.addEventListener('abort', leave, { once: true })
    this.#waiting.push(waiting)
    this.#sendNext()
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  #sendNext(): void {
    while (this.#waiting.length > 0 && this.#underWay < AT_ONCE) {
      const together = this.#waiting.splice(0, this.#takesBatches ? MOST_TOGETHER : 1)
      this.#underWay += 1
      let isHolding = true
      const letGo = () => {
        if (!isHolding) return
        isHolding = false
        this.#underWay -= 1
        this.#sendNext()
      }
      void this.#send(together).finally(letGo)
      AbortSignal.timeout(HOLD_MS).addEventListener('abort', letGo, { once: true })
    }
  }

  async #send(together: readonly Waiting[]): Promise<void> {
    try {
      const responses = await this.#post(together)
      together.forEach(({ method, resolve, reject }, index) => {
        const response = responses.get(index + 1)
        if (response) resolve(response)
        else reject(new RpcError('unreadable', method, 'the answer leaves this request out'))
      })
    } catch (error) {
      if (together.length > 1 && isAboutTheBatch(error)) {
        this.#takesBatches = false
        this.#waiting.unshift(...together.filter(({ signal }) => !signal.aborted))
        return
      }
      for (const { method, reject } of together) reject(failureOf(method, error))
    }
  }

  /** The responses by the number of their request, from 1. */
  async #post(together: readonly Waiting[]): Promise<ReadonlyMap<unknown, JsonRpcResponse>> {
    const requests = together.map(({ method, params }, index) => ({
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
      signal: whenAllAbort(together.map(({ signal }) => signal)),
      redirect: 'error',
    })
    const text = await answer.text()
    if (!answer.ok) throw new HttpRefusal(answer)
    const parsed: unknown = JSON.parse(text)
    // A lone answer is the answer to a lone request, whatever number it bears.
    if (requests.length === 1) return new Map([[1, responseSchema.parse(parsed)]])
    const whole = responseSchema.safeParse(parsed)
    if (refusedUnread.has(whole.data?.error?.code ?? 0)) throw new BatchRefusal('no batches')
    const responses = z.array(responseSchema).parse(parsed)
    return new Map(responses.map((response) => [response.id, response]))
  }
}

/** Aborts once nobody waits any more. */
function whenAllAbort(signals: readonly AbortSignal[]): AbortSignal {
  const over = new AbortController()
  let left = signals.length
  for (const signal of signals) {
    const leave = () => {
      left -= 1
      if (left === 0) over.abort(signal.reason)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  }
  return over.signal
}

/** The endpoint certainly did nothing with it: what is in it may be sent once more, one by one. */
const isAboutTheBatch = (error: unknown): boolean =>
  error instanceof BatchRefusal ||
  (error instanceof HttpRefusal && refusalsOfBatches.has(error.response.status))

function failureOf(method: string, error: unknown): RpcError {
  if (error instanceof HttpRefusal) {
    const { status, headers } = error.response
    return new RpcError('transport', method, error.message, {
      retryAfterMs: status === 429 || status === 503 ? retryAfterMs(headers) : undefined,
      wasRefused: refusals.has(status),
    })
  }
  if (error instanceof SyntaxError) {
    return new RpcError('unreadable', method, 'the answer is not JSON', { cause: error })
  }
  if (error instanceof z.ZodError) {
    return new RpcError('unreadable', method, 'the answer is not JSON-RPC', { cause: error })
  }
  const message = error instanceof Error ? describe(error) : String(error)
  const wasRefused = neverConnected(error)
  return new RpcError('transport', method, message, { cause: error, wasRefused })
}

/** `fetch failed` says nothing; what failed is its cause. */
const describe = ({ message, cause }: Error): string =>
  cause instanceof Error ? `${message}: ${cause.message || cause.name}` : message

/** Failures of making a connection: nothing was sent over it. */
const connectFailures = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && connectFailures.has(String(cause.code))
}
