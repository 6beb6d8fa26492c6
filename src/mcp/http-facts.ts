import { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/error-message.ts'
import { discoveryPaths, explorerPaths } from '../core/http-paths.ts'
import { TimeLimitExceeded, withTimeLimit } from '../core/time-limit.ts'
import type { Facts } from './facts.ts'
import { failureOfStatus, ToolFailure } from './tool-failure.ts'

export interface HttpFactsOptions {
  /** Base URL of the facilitator or catalog, whose `/discovery` is asked. */
  readonly facilitator: string
  /** Base URL of the explorer; absent: nothing is known of payments. */
  readonly explorer?: string | undefined
  readonly clock: Pick<Clock, 'sleep'>
}

/** Of one request, to its last byte; a validation asks a resource meanwhile. */
const TIME_LIMIT_MS = 20_000
/** A page of 20 resources whose declarations are as long as they may be. */
const MAX_BYTES = 4_194_304

/** The facts as services answer them over HTTP. Follows no redirect. */
export function httpFacts({ facilitator, explorer, clock }: HttpFactsOptions): Facts {
  const ask = (base: string, path: string, request: RequestInit, signal: AbortSignal) =>
    askService({ base, path, clock }, request, signal)
  const askExplorer = (path: string, signal: AbortSignal) => {
    if (explorer !== undefined) return ask(explorer, path, {}, signal)
    const reason = 'no explorer is configured: svc mcp was started without --explorer'
    throw new ToolFailure('not_configured', reason)
  }
  return {
    search: (query, signal) =>
      ask(facilitator, `${discoveryPaths.search}?${new URLSearchParams(query)}`, {}, signal),
    listing: (id, signal) =>
      ask(facilitator, discoveryPaths.listing.replace(':id', encodeURIComponent(id)), {}, signal),
    validate: (question, signal) => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(question)
      return ask(facilitator, discoveryPaths.validate, { method: 'POST', headers, body }, signal)
    },
    payment: async (hash, signal) => {
      try {
        return await askExplorer(explorerPaths.payment.replace(':hash', hash), signal)
      } catch (error) {
        if (error instanceof ToolFailure && error.code === 'not_found') return undefined
        throw error
      }
    },
    seller: async (payTo, network, signal) => {
      const query = network === undefined ? '' : `?${new URLSearchParams({ network })}`
      return askExplorer(explorerPaths.seller.replace(':payTo', payTo) + query, signal)
    },
  }
}

interface Place {
  readonly base: string
  readonly path: string
  readonly clock: Pick<Clock, 'sleep'>
}

async function askService(
  { base, path, clock }: Place,
  request: RequestInit,
  signal: AbortSignal,
): Promise<unknown> {
  const url = base.replace(/\/+$/, '') + path
  try {
    return await withTimeLimit({ clock, ms: TIME_LIMIT_MS, signal }, async (within) => {
      const response = await fetch(url, { ...request, redirect: 'error', signal: within })
      const body = parsed(await textOf(response))
      if (response.status === 200) return body
      throw failureOfStatus(response.status, reasonOf(body) ?? `HTTP status ${response.status}`)
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ToolFailure) throw error
    const { host } = new URL(base)
    if (error instanceof TimeLimitExceeded) {
      throw new ToolFailure('timed_out', `${host} did not answer in ${TIME_LIMIT_MS / 1_000} s`)
    }
    const cause = error instanceof Error ? (error.cause ?? error) : error
    throw new ToolFailure('unreachable', `${host}: ${messageOf(cause)}`, { cause: error })
  }
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new ToolFailure('unexpected_answer', 'the answer has no end')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Of a refusal: of the facilitator under `error`, of the explorer flat. */
const refusalSchema = z.union([
  z.object({ error: z.object({ reason: z.string() }) }).transform(({ error }) => error.reason),
  z.object({ reason: z.string() }).transform(({ reason }) => reason),
])

const reasonOf = (body: unknown): string | undefined => refusalSchema.safeParse(body).data
