/** A seller's client that repeats the same request until the answer is final. */
import { setTimeout as sleep } from 'node:timers/promises'
import { reasons } from '../../src/payments/protocol/reasons.ts'
import type { PaymentBody } from './payments.ts'

export interface PostedAnswer {
  readonly status: number
  readonly body: SettleBody
}

/** The answer of `/settle`, or an error of the service itself. */
interface SettleBody {
  readonly success?: boolean
  readonly transaction?: string
  /** Of a settlement in the scheme `upto`. */
  readonly amount?: string
  readonly errorReason?: string
}

const ANSWER_TIMEOUT_MS = 20_000
const RETRY_PAUSE_MS = 100

/** Undefined when the connection broke or no answer came within 20 s. */
export async function post(url: string, body: PaymentBody): Promise<PostedAnswer | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    return { status: response.status, body: (await response.json()) as SettleBody }
  } catch {
    return undefined
  }
}

/** Whether repeating the request can change the answer. */
export function isFinal({ status, body }: PostedAnswer): boolean {
  // 409: another payment has its identifier.
  if (status !== 200 && status !== 409) return false
  if (body.success) return true
  const reason = Object.entries(reasons).find(([code]) => code === body.errorReason)
  return reason !== undefined && !reason[1].retryable
}

export interface Answers {
  /** Undefined when no final answer came in time. */
  readonly final: PostedAnswer | undefined
  /** The last answer, final or not; undefined when there was none. */
  readonly last: PostedAnswer | undefined
}

/** Repeats the request until the answer is final, for at most `withinMs`. */
export async function settleUntilFinal(
  send: () => Promise<PostedAnswer | undefined>,
  withinMs: number,
): Promise<Answers> {
  const deadline = performance.now() + withinMs
  let last: PostedAnswer | undefined
  do {
    last = (await send()) ?? last
    if (last && isFinal(last)) return { final: last, last }
    await sleep(RETRY_PAUSE_MS)
  } while (performance.now() < deadline)
  return { final: undefined, last }
}
