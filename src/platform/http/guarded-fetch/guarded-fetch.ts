import { AnswerTooLarge, bytesOf } from '../../core/errors/read-answer.ts'
import { outboundAgent } from './outbound-agent.ts'
import { refuseUrl } from './refuse-url.ts'
import { hostResolver, type Resolve } from './resolve-host.ts'
import { UnsafeAddress } from './vetted-lookup.ts'

/** An answer of a stranger's server, read to its end. */
export type GuardedAnswer = Readonly<{
  status: number
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  body: Uint8Array
}>

/** Why there is no answer. `unsafe`: the address is not public, or the URL is none of HTTP. */
type GuardedFailure = Readonly<{
  kind: 'unsafe' | 'unreachable' | 'timeout' | 'too_large'
  /** One sentence. */
  reason: string
}>

type GuardedOptions = Readonly<{
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
  signal?: AbortSignal
}>

export type GuardedFetcher = Readonly<{
  fetch: (url: URL, options?: GuardedOptions) => Promise<GuardedAnswer | GuardedFailure>
  close: () => Promise<void>
}>

const TIME_LIMIT_MS = 3000
const MAX_BYTES = 65_536

/**
 * Requests to URLs that strangers chose. The address that was vetted is the one dialled; no redirect is followed, no
 * answer is decompressed, no connection is used twice; a request ends after 3 s, from the look-up of its name to the
 * last byte, and headers and body after 64 KiB each, or after the limits given. `fetch` never throws: a failure is a value.
 */
export function guardedFetcher({
  allowLoopback = false,
  timeLimitMs = TIME_LIMIT_MS,
  maxBytes = MAX_BYTES,
  resolve = hostResolver(),
}: Readonly<{
  allowLoopback?: boolean
  timeLimitMs?: number
  maxBytes?: number
  resolve?: Resolve
}> = {}): GuardedFetcher {
  const agent = outboundAgent({
    reach: allowLoopback ? 'loopback_too' : 'public',
    connectMs: timeLimitMs,
    maxHeaderBytes: maxBytes,
    resolve,
  })
  return {
    close: () => agent.destroy(),
    fetch: async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
      const refusal = refuseUrl(url, allowLoopback)
      if (refusal !== undefined) return { kind: 'unsafe', reason: refusal }
      const limit = AbortSignal.timeout(timeLimitMs)
      try {
        const answer = await agent.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method,
          headers: { 'accept-encoding': 'identity', ...headers },
          ...(body !== undefined && { body }),
          signal: signal ? AbortSignal.any([limit, signal]) : limit,
        })
        const bytes = await bytesOf(answer, maxBytes)
        return { status: answer.statusCode, headers: answer.headers, body: bytes }
      } catch (error) {
        if (error instanceof AnswerTooLarge) return tooLarge('body', maxBytes)
        if (codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW') return tooLarge('header', maxBytes)
        return failureOf(error, url, limit.aborted, timeLimitMs)
      }
    },
  }
}

const tooLarge = (part: 'body' | 'header', maxBytes: number): GuardedFailure => ({
  kind: 'too_large',
  reason: `The answer has a ${part} of more than ${maxBytes} bytes.`,
})

function failureOf(
  error: unknown,
  url: URL,
  timedOut: boolean,
  timeLimitMs: number,
): GuardedFailure {
  if (error instanceof UnsafeAddress) return { kind: 'unsafe', reason: error.message }
  const code = codeOf(error)
  if (timedOut || code === 'UND_ERR_CONNECT_TIMEOUT')
    return { kind: 'timeout', reason: `${url.host} did not answer within ${timeLimitMs} ms.` }
  return { kind: 'unreachable', reason: `${url.host} could not be reached (${code}).` }
}

/** Its code, or the name of its class: never its text, which may repeat what a stranger sent. */
const codeOf = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'unknown error'
