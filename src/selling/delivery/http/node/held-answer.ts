import type { ServerResponse } from 'node:http'
import type { Delivery } from '../delivery.ts'
import { followHead, headOf, restore, sentHead, setHead } from './response-head.ts'

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
  let isBlocked = false
  let released: Promise<void> | undefined
  let stream: NodeJS.Timeout | undefined
  delivery.showHeld(followHead(response))

  const release = (): Promise<void> => {
    clearTimeout(stream)
    released ??= (async () => {
      const sent = sentHead(response)
      const head = headOf(sent)
      const isWhole = isEnded && size <= delivery.maxAnswerBytes
      if (isWhole) await delivery.complete({ ...head, body: Buffer.concat(chunks) })
      else await delivery.completeByReceipt(head)
      Object.assign(response, { write, end, flushHeaders })
      Object.defineProperty(response, 'writeHead', plain(writeHead))
      // What the handler changed since it ended the answer is too late, here as without this.
      restore(response, sent)
      const done = () => {
        for (const callback of callbacks) callback()
      }
      if (isEnded) response.end(Buffer.concat(chunks), done)
      else {
        response.flushHeaders()
        // Node says itself when what it could not pass on at once is gone.
        if (response.write(Buffer.concat(chunks), done) && isBlocked) response.emit('drain')
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

  response.writeHead = (status: number, ...rest: readonly unknown[]) => {
    if (!isEnded) setHead(response, status, rest)
    begin()
    return response
  }
  Object.assign(response, {
    flushHeaders: begin,
    write: (...args: readonly unknown[]) => {
      if (isEnded) return false
      take(args)
      begin()
      if (size > delivery.maxAnswerBytes) void release()
      // The rest stays with the handler until the store has answered, and the caller has taken what is held.
      isBlocked ||= released !== undefined
      return !isBlocked
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

const plain = (value: unknown) => ({ value, configurable: true, enumerable: true, writable: true })
