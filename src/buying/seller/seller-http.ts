/** Requests to sellers, who are strangers: no redirect, limits of time and size, no connection used twice. */
import type { Readable } from 'node:stream'
import { AnswerTooLarge, readInto } from '../../platform/core/errors/read-answer.ts'
import { ByteBuffer } from '../../platform/core/language/byte-buffer.ts'
import { outboundAgent, type Reach } from '../../platform/http/guarded-fetch/outbound-agent.ts'
import { refuseUrl } from '../../platform/http/guarded-fetch/refuse-url.ts'
import type { Resolve } from '../../platform/http/guarded-fetch/resolve-host.ts'
import { UnsafeAddress } from '../../platform/http/guarded-fetch/vetted-lookup.ts'

/** The request to make. */
export interface SellerCall {
  /** An http or https URL. */
  readonly url: string
  /** @default GET */
  readonly method?: string
  readonly headers?: Headers
  readonly body?: string
}

/** An answer, as far as it was read. */
export interface SellerAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
  /** Why the body ends before its end: larger than the limit, later than the limit, or broken off. Null: it is whole. */
  readonly cut: 'size' | 'time' | 'broken' | null
}

export interface RequestLimits {
  /** Time from the look-up of the name to the last byte, in milliseconds. */
  readonly timeLimitMs: number
  /** Limit of the body. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

export interface SellerHttp extends AsyncDisposable {
  /**
   * @throws RefusedUrl, SellerTooSlow, the reason of the signal, or the error of a connection that got no answer
   */
  send(call: SellerCall, limits: RequestLimits): Promise<SellerAnswer>
}

/** No headers arrived in time. */
export class SellerTooSlow extends Error {
  override readonly name = 'SellerTooSlow'

  constructor(ms: number) {
    super(`did not answer within ${ms / 1_000} s`)
  }
}

/** The URL, or an address that its name leads to, may not be called. `message` is a sentence. */
export class RefusedUrl extends Error {
  override readonly name = 'RefusedUrl'
}

const CONNECT_MS = 10_000
/** A price with its extensions can exceed the 16 KiB of Node's own limit. */
const MAX_HEADER_BYTES = 65_536

export interface SellerHttpOptions {
  /**
   * `public` for URLs that the user did not choose, such as those of a listing or of a model.
   * @default 'anywhere': a person typed the URL
   */
  readonly reach?: Reach | undefined
  readonly resolve?: Resolve | undefined
}

/** An answer whose body is still to be read. */
interface OpenAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable
}

/** Requests to sellers, each on a connection of its own; a redirect is an answer as any other. */
export interface SellerAgent extends AsyncDisposable {
  /** Throws RefusedUrl, or the error of a connection that got no answer. */
  open(call: SellerCall, signal: AbortSignal): Promise<OpenAnswer>
}

export function sellerAgent({ reach = 'anywhere', resolve }: SellerHttpOptions = {}): SellerAgent {
  const agent = outboundAgent({
    reach,
    connectMs: CONNECT_MS,
    maxHeaderBytes: MAX_HEADER_BYTES,
    ...(resolve && { resolve }),
  })
  return {
    [Symbol.asyncDispose]: () => agent.destroy(),
    async open({ url, method = 'GET', headers, body }, signal) {
      const target = new URL(url)
      const refusal = reach === 'anywhere' ? undefined : refuseUrl(target, reach !== 'public')
      if (refusal !== undefined) throw new RefusedUrl(refusal)
      try {
        return await agent.request({
          origin: target.origin,
          path: `${target.pathname}${target.search}`,
          method,
          headers: headersOf(headers),
          ...(body !== undefined && { body }),
          signal,
        })
      } catch (error) {
        if (error instanceof UnsafeAddress) throw new RefusedUrl(error.message)
        throw error
      }
    },
  }
}

export function sellerHttp(options: SellerHttpOptions = {}): SellerHttp {
  const agent = sellerAgent(options)
  return {
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
    async send(call, { timeLimitMs, maxBytes, signal }) {
      signal?.throwIfAborted()
      const late = AbortSignal.timeout(timeLimitMs)
      try {
        const answer = await agent.open(call, signal ? AbortSignal.any([late, signal]) : late)
        const read = await readAtMost(answer, maxBytes, late)
        return { status: answer.statusCode, headers: plainHeaders(answer.headers), ...read }
      } catch (error) {
        signal?.throwIfAborted()
        if (late.aborted) throw new SellerTooSlow(timeLimitMs)
        throw error
      }
    },
  }
}

/** `identity`: nothing is decompressed, so that a small answer is no large one. */
function headersOf(given: Headers | undefined): Record<string, string> {
  const defaults = { accept: '*/*', 'user-agent': 'svc', 'accept-encoding': 'identity' }
  return { ...defaults, ...Object.fromEntries(given ?? []) }
}

export const plainHeaders = (
  raw: Readonly<Record<string, string | string[] | undefined>>,
): Headers =>
  new Headers(
    Object.entries(raw).flatMap(([name, value]) =>
      [value ?? []].flat().map((each): [string, string] => [name, each]),
    ),
  )

async function readAtMost(
  answer: { readonly body: Readable },
  maxBytes: number,
  late: AbortSignal,
): Promise<Pick<SellerAnswer, 'body' | 'cut'>> {
  const read = new ByteBuffer()
  try {
    await readInto(read, answer, maxBytes)
    return { body: Buffer.from(read.bytes), cut: null }
  } catch (error) {
    const cut = error instanceof AnswerTooLarge ? 'size' : late.aborted ? 'time' : 'broken'
    return { body: Buffer.from(read.bytes), cut }
  }
}
