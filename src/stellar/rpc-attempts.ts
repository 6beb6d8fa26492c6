import type { Clock } from '../core/clock.ts'
import type { EndpointRoster } from './endpoint-roster.ts'
import { type Backoff, fullJitter, type Random } from './full-jitter.ts'
import { RpcError } from './rpc.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

/** All endpoints are asked once in a round. */
const ROUNDS = 3
/** Between rounds: an endpoint that lags behind its siblings catches up within a second or so. */
const PAUSE: Backoff = { baseMs: 250, capMs: 2_000 }

export interface AttemptOptions {
  readonly clock: Clock
  readonly random: Random
  readonly roster: Pick<EndpointRoster, 'candidates' | 'barredForMs'>
  /** No attempt begins later than this after the first. */
  readonly withinMs: number
}

/**
 * Asks one endpoint after the other until `attempt` gives a value, in a bounded number of rounds.
 * An attempt that gives none, or throws an `RpcError`, is followed by the next; when there is no next
 * one, throws the last error. Other errors, and the signal's reason, are thrown at once.
 */
export async function attempts<T extends object>(
  method: string,
  { clock, random, roster, withinMs }: AttemptOptions,
  attempt: (endpoint: RpcEndpoint) => Promise<T | undefined>,
  signal?: AbortSignal,
): Promise<T> {
  const deadline = clock.now() + withinMs
  let last = new RpcError('transport', method, 'every endpoint asks to be left alone')
  for (let round = 1; ; round++) {
    const asked = roster.candidates()
    let isWorthAnother = asked.length === 0
    for (const endpoint of asked) {
      signal?.throwIfAborted()
      if (round > 1 && clock.now() > deadline) break
      try {
        const value = await attempt(endpoint)
        if (value) return value
        last = new RpcError('lagging', method, `${endpoint.name} is behind the newest ledger`)
        isWorthAnother = true
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        last = error
        isWorthAnother ||= mayPass(error)
      }
    }
    const pauseMs = Math.max(fullJitter(round, PAUSE, random), roster.barredForMs())
    if (round === ROUNDS || !isWorthAnother || clock.now() + pauseMs > deadline) throw last
    await clock.sleep(pauseMs, signal)
  }
}

/** What the same request may be spared a moment later. */
const mayPass = ({ kind, wasRefused }: RpcError): boolean =>
  kind === 'transport' || kind === 'unreadable' || (kind === 'rejected' && !wasRefused)
