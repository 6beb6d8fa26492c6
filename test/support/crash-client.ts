/** A seller's client that does not give up: it repeats the same request until the answer is final. */
import { setTimeout as sleep } from 'node:timers/promises'
import { reasons } from '../../src/x402/reasons.ts'
import type { PaymentBody } from './payments.ts'

export interface PostedAnswer {
  readonly status: number
  readonly body: SettleWords
}

/** What `/settle` answers, or an error of the service itself. */
export interface SettleWords {
  readonly success?: boolean
  readonly transaction?: string
  readonly errorReason?: string
}

const PATIENCE_MS = 20_000
const PAUSE_MS = 100

/** Undefined when the connection broke or nothing came for a long time. */
export async function post(url: string, body: PaymentBody): Promise<PostedAnswer | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    return { status: response.status, body: (await response.json()) as SettleWords }
  } catch {
    return undefined
  }
}

/** Whether repeating the request can change the answer. */
export function isFinal({ status, body }: PostedAnswer): boolean {
  if (status !== 200) return false
  if (body.success) return true
  const reason = Object.entries(reasons).find(([code]) => code === body.errorReason)
  return reason !== undefined && !reason[1].retryable
}

export interface Asked {
  /** Undefined when there was none in time. */
  readonly final: PostedAnswer | undefined
  /** The last one, final or not; undefined when nothing was answered. */
  readonly last: PostedAnswer | undefined
}

/** Repeats the request until the answer is final, for at most `withinMs`. */
export async function settleUntilFinal(
  ask: () => Promise<PostedAnswer | undefined>,
  withinMs: number,
): Promise<Asked> {
  const deadline = performance.now() + withinMs
  let last: PostedAnswer | undefined
  do {
    last = (await ask()) ?? last
    if (last && isFinal(last)) return { final: last, last }
    await sleep(PAUSE_MS)
  } while (performance.now() < deadline)
  return { final: undefined, last }
}
