import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Agent } from 'undici'
import { isPublicAddress } from './public-address.ts'
import { type Resolve, UnsafeAddress, vettedLookup } from './vetted-lookup.ts'

/** An answer of a stranger's server, read to its end. */
type GuardedAnswer = Readonly<{
  status: number
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  body: Uint8Array
}>

/** Why there is no answer. `unsafe`: the address is not public, or the URL is not http. */
type GuardedFailure = Readonly<{
  kind: 'unsafe' | 'unreachable' | 'timeout' | 'too_large'
  /** One sentence. */
  reason: string
}>

type GuardedOptions = Readonly<{
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'
  headers?: Readonly<Record<string, string>>
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
 * answer is decompressed, no connection is used twice; a request ends after 3 s, and a body after 64 KiB, or after the
 * limits given. `fetch` never throws: a failure is a value.
 */
export function guardedFetcher({
  allowLoopback = false,
  timeLimitMs = TIME_LIMIT_MS,
  maxBytes = MAX_BYTES,
  resolve = lookup,
}: Readonly<{
  allowLoopback?: boolean
  timeLimitMs?: number
  maxBytes?: number
  resolve?: Resolve
}> = {}): GuardedFetcher {
  const agent = new Agent({
    connect: { lookup: vettedLookup(resolve, allowLoopback) },
    pipelining: 0,
    keepAliveTimeout: 1,
  })
  return {
    close: () => agent.close(),
    fetch: async (url, { method = 'GET', headers = {}, signal } = {}) => {
      const refusal = refusalOf(url, allowLoopback)
      if (refusal) return refusal
      const limit = AbortSignal.timeout(timeLimitMs)
      try {
        const answer = await agent.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method,
          headers: { 'accept-encoding': 'identity', ...headers },
          signal: signal ? AbortSignal.any([limit, signal]) : limit,
        })
        const body = await readAtMost(answer.body, maxBytes)
        if (body === null)
          return { kind: 'too_large', reason: `The answer has more than ${maxBytes} bytes.` }
        return { status: answer.statusCode, headers: answer.headers, body }
      } catch (error) {
        return failureOf(error, url, limit.aborted, timeLimitMs)
      }
    },
  }
}

/** A URL whose host is an address needs no lookup, so it is vetted here. */
function refusalOf(url: URL, allowLoopback: boolean): GuardedFailure | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { kind: 'unsafe', reason: `The protocol ${url.protocol} is neither https nor http.` }
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isPublicAddress(host, allowLoopback)) {
    return { kind: 'unsafe', reason: new UnsafeAddress(host).message }
  }
  return null
}

async function readAtMost(
  body: AsyncIterable<Uint8Array> & { destroy(): unknown },
  maxBytes: number,
): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > maxBytes) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function failureOf(
  error: unknown,
  url: URL,
  timedOut: boolean,
  timeLimitMs: number,
): GuardedFailure {
  if (error instanceof UnsafeAddress)
    return { kind: 'unsafe', reason: `${url.hostname}: ${error.message}` }
  if (timedOut)
    return { kind: 'timeout', reason: `${url.host} did not answer within ${timeLimitMs} ms.` }
  const cause =
    error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'unknown error'
  return { kind: 'unreachable', reason: `${url.host} could not be reached (${cause}).` }
}
