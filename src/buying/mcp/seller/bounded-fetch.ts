import type { Readable } from 'node:stream'
import { AnswerTooLarge } from '../../../platform/core/errors/read-answer.ts'
import { plainHeaders, type SellerAgent } from '../../seller/seller-http.ts'

/** The server redirects, and no redirect is followed. */
export class Redirected extends Error {
  override readonly name = 'Redirected'
  readonly status: number
  readonly location: string

  constructor(status: number, location: string) {
    super('the server redirects')
    this.status = status
    this.location = location
  }
}

interface FetchLimits {
  /** The bytes of all answers together. */
  readonly maxBytes: number
  /** Headers of every request beside those of the protocol. */
  readonly headers: Headers
  readonly signal: AbortSignal
  /** Told why a request or its answer failed: the SDK keeps the messages of errors alone, and tries some again. */
  readonly fail: (error: unknown) => void
}

/** A `fetch` for the SDK with the limits of every call of a seller. */
export function boundedFetch(
  agent: SellerAgent,
  { maxBytes, headers, signal, fail }: FetchLimits,
): typeof fetch {
  let left = maxBytes
  async function* counted(body: Readable, report: (error: unknown) => void) {
    try {
      for await (const part of body as AsyncIterable<Uint8Array>) {
        left -= part.length
        if (left < 0) throw new AnswerTooLarge(`${maxBytes} bytes`)
        yield part
      }
    } catch (error) {
      report(error)
      throw error
    }
  }
  return async function send(url, { method = 'GET', headers: own, body, signal: given } = {}) {
    const all = new Headers(headers)
    for (const [name, value] of new Headers(own)) all.set(name, value)
    const call = {
      ...{ url: String(url), method, headers: all },
      ...(typeof body === 'string' && { body }),
    }
    // A stream of notifications (GET) is nothing that the call needs, and the SDK itself ends what it no longer reads.
    const report = (error: unknown) => {
      if (method === 'POST' && !given?.aborted) fail(error)
    }
    try {
      const within = given ? AbortSignal.any([signal, given]) : signal
      const answer = await agent.open(call, within)
      const status = answer.statusCode
      const received = plainHeaders(answer.headers)
      const location = received.get('location')
      if (status >= 300 && status < 400 && location !== null) {
        answer.body.destroy()
        throw new Redirected(status, location)
      }
      if (status === 204 || status === 205 || status === 304) {
        answer.body.destroy()
        return new Response(null, { status, headers: received })
      }
      const stream = ReadableStream.from(counted(answer.body, report))
      return new Response(stream, { status, headers: received })
    } catch (error) {
      report(error)
      throw error
    }
  }
}
