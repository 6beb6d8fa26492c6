import { type BackoffBounds, backoffMs, type Random } from '../../../platform/core/time/backoff.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { isEndpointFailure, RpcError } from '../rpc.ts'
import type { EndpointSelector } from './endpoint-selector.ts'
import { priorityOf, type RequestPriority } from './request-priority.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

/** Each round tries every endpoint once. */
const ROUNDS = 3
/** Between rounds: an endpoint that lags behind the others catches up within a second or so. */
const ROUND_BACKOFF: BackoffBounds = { baseMs: 250, maxMs: 2_000 }

export interface AttemptOptions {
  readonly clock: Clock
  readonly random: Random
  readonly selector: Pick<EndpointSelector, 'candidates' | 'retryAfterMs'>
  /** No attempt starts later than this after the first. */
  readonly withinMs: number
  /** @default that of the method */
  readonly priority?: RequestPriority
}

/**
 * Tries one endpoint after the other until `attempt` returns a value, in a bounded number of rounds.
 * When an attempt returns undefined or throws an `RpcError`, the next endpoint is tried; after the last
 * attempt its error is thrown, but `not_retained` only when no other endpoint may retain the ledger. Other errors, and
 * the signal's reason, are thrown at once.
 */
export async function firstAnswer<T extends object>(
  method: string,
  { clock, random, selector, withinMs, ...options }: AttemptOptions,
  attempt: (endpoint: RpcEndpoint) => Promise<T | undefined>,
  signal?: AbortSignal,
): Promise<T> {
  const deadline = clock.now() + withinMs
  const priority = options.priority ?? priorityOf(method)
  let last = new RpcError('transport', method, 'every endpoint asked for a pause (Retry-After)')
  let undecided: RpcError | undefined
  for (let round = 1; ; round++) {
    const candidates = selector.candidates(priority)
    let mayRetry = candidates.length === 0
    for (const endpoint of candidates) {
      signal?.throwIfAborted()
      if (round > 1 && clock.now() > deadline) break
      try {
        const value = await attempt(endpoint)
        if (value) return value
        last = new RpcError('lagging', method, `${endpoint.name} lags behind the latest ledger`)
        undecided = last
        mayRetry = true
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        const isOfOther = error.kind === 'wrong_network'
        if (error.kind !== 'not_retained' && !isOfOther) undecided = error
        if (!isOfOther || last.kind !== 'not_retained') last = error
        mayRetry ||= isEndpointFailure(error)
      }
    }
    const pauseMs = Math.max(
      backoffMs(ROUND_BACKOFF, round, random),
      selector.retryAfterMs(priority),
    )
    if (round === ROUNDS || !mayRetry || clock.now() + pauseMs > deadline) throw undecided ?? last
    await clock.sleep(pauseMs, signal)
  }
}
