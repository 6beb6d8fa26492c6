import type { ServerResponse } from 'node:http'
import type { AnswerHead } from '../answer.ts'
import type { Delivery } from '../delivery.ts'

/** An answer that has no end by then is a stream: it is sent as it comes. */
const STREAM_AFTER_MS = 100

type Callback = (error?: Error | null) => void

/**
 * Holds the answer back until the delivery has it. A stock server that is installed after this one holds it back too, until
 * the payment is settled, so that this sees the answer with its receipt.
 */
export function holdAnswer(response: ServerResponse, delivery: Delivery): void {
  const { writeHead, write, end, flushHeaders } = response
  const chunks: Buffer[] = []
  const callbacks: Callback[] = []
  let size = 0
  let isEnded = false
  let released: Promise<void> | undefined
  let stream: NodeJS.Timeout | undefined

  const release = (): Promise<void> => {
    clearTimeout(stream)
    released ??= (async () => {
      const sent = sentHead(response)
      const head = headOf(sent)
      const isWhole = isEnded && size <= delivery.maxAnswerBytes
      if (isWhole) await delivery.complete({ ...head, body: Buffer.concat(chunks) })
      else await delivery.completeByReceipt(head)
      Object.assign(response, { writeHead, write, end, flushHeaders })
      // What the handler changed since it ended the answer is too late, here as without this.
      restore(response, sent)
      const done = () => {
        for (const callback of callbacks) callback()
      }
      if (isEnded) response.end(Buffer.concat(chunks), done)
      else {
        response.flushHeaders()
        response.write(Buffer.concat(chunks), done)
      }
    })()
    return released
  }
  const begin = () => {
    if (!released) stream ??= setTimeout(() => void release(), STREAM_AFTER_MS)
  }
  const take = (args: readonly unknown[]) => {
    for (const arg of args) if (typeof arg === 'function') callbacks.push(arg as Callback)
    const [chunk, encoding] = args
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : Buffer.from(chunk)
    chunks.push(bytes)
    size += bytes.length
  }

  Object.assign(response, {
    writeHead: (status: number, ...rest: readonly unknown[]) => {
      if (!isEnded) setHead(response, status, rest)
      begin()
      return response
    },
    flushHeaders: begin,
    write: (...args: readonly unknown[]) => {
      if (isEnded) return false
      take(args)
      begin()
      if (size > delivery.maxAnswerBytes) void release()
      return true
    },
    end: (...args: readonly unknown[]) => {
      if (isEnded) return response
      take(args)
      isEnded = true
      void release()
      return response
    },
  })
}

/** The headers as the response has them: numbers and lists included. */
interface SentHead {
  readonly status: number
  readonly message: string
  readonly headers: ReadonlyMap<string, number | string | string[]>
}

const sentHead = (response: ServerResponse): SentHead => ({
  status: response.statusCode,
  message: response.statusMessage,
  headers: new Map(
    Object.entries(response.getHeaders()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  ),
})

const headOf = ({ status, headers }: SentHead): AnswerHead => ({
  status,
  headers: [...headers].flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)] as const),
  ),
})

function restore(response: ServerResponse, { status, message, headers }: SentHead): void {
  response.statusCode = status
  response.statusMessage = message
  for (const name of response.getHeaderNames()) {
    if (!headers.has(name)) response.removeHeader(name)
  }
  for (const [name, value] of headers) response.setHeader(name, value)
}

/** What `writeHead` of Node does before it sends: its headers are an object, a list of pairs, or names and values in turn. */
function setHead(response: ServerResponse, status: number, rest: readonly unknown[]): void {
  response.statusCode = status
  const [first] = rest
  if (typeof first === 'string') response.statusMessage = first
  const headers = typeof first === 'string' ? rest[1] : first
  if (typeof headers !== 'object' || headers === null) return
  for (const [name, value] of pairsOf(headers)) {
    if (value !== undefined) response.setHeader(name, value as string)
  }
}

function pairsOf(headers: object): Iterable<readonly [string, unknown]> {
  if (!Array.isArray(headers)) return Object.entries(headers)
  if (Array.isArray(headers[0])) return headers
  return headers.flatMap((name, at) =>
    at % 2 === 0 ? [[String(name), headers[at + 1]] as const] : [],
  )
}
