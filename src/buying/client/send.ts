import { ApiError } from './api-error.ts'
import type { ClientOptions, RequestOptions } from './options.ts'

/** More than a page of 100 resources whose declarations are as long as they may be. */
const MAX_BYTES = 16_777_216

export interface SendOptions extends ClientOptions {
  readonly apiKey?: string | undefined
}

interface Call {
  /** Below the base URL, with its query. */
  readonly path: string
  /** JSON of a POST; absent: a GET. */
  readonly body?: unknown
}

/** @throws ApiError, or the reason of a signal */
export type Send = (call: Call, options?: RequestOptions) => Promise<unknown>

export function sender(options: SendOptions): Send {
  const { url, fetch = globalThis.fetch, apiKey, maxBytes = MAX_BYTES } = options
  const base = url.replace(/\/+$/, '')
  const { host } = new URL(url)
  return async ({ path, body }, { signal: ofCall } = {}) => {
    const signals = [options.signal, ofCall].filter((each) => each !== undefined)
    const signal = AbortSignal.any(signals)
    const headers = {
      accept: 'application/json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    try {
      // A redirect would pass the key on.
      const answer = await fetch(base + path, { ...request, headers, redirect: 'error', signal })
      return readAnswer(answer, parsed(await textOf(answer, maxBytes)), host)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ApiError) throw error
      const { message } = error instanceof Error ? ((error.cause as Error) ?? error) : new Error()
      throw new ApiError(`${host} did not answer: ${message}`, {
        code: 'unreachable',
        retryable: true,
        cause: error,
      })
    }
  }
}

function readAnswer({ status, ok, headers }: Response, body: unknown, host: string): unknown {
  if (ok && typeof body === 'object' && body !== null) return body
  const retryAfter = secondsOf(headers.get('retry-after'))
  // The facilitator has the refusal under `error`, the explorer flat.
  const { code, reason, retryable, details } = Object(Object(body).error ?? body)
  if (!ok && typeof code === 'string' && typeof reason === 'string') {
    throw new ApiError(reason, {
      code: code as ApiError['code'],
      retryable: retryable === true,
      status,
      retryAfter,
      details,
    })
  }
  throw new ApiError(`${host} answered HTTP ${status}, and not as this API does`, {
    code: 'unexpected_answer',
    retryable: status === 429 || status >= 500,
    status,
    retryAfter,
  })
}

/** A proxy may send a date instead, which is none. */
const secondsOf = (header: string | null): number | undefined =>
  header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined

async function textOf({ body, status }: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  let text = ''
  let left = maxBytes
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) return text + decoder.decode()
    left -= value.byteLength
    if (left < 0) {
      await reader?.cancel()
      throw new ApiError(`the answer is larger than ${maxBytes} bytes`, {
        code: 'answer_too_large',
        retryable: false,
        status,
      })
    }
    text += decoder.decode(value, { stream: true })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
