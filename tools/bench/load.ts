import { setTimeout as pause } from 'node:timers/promises'
import { monotonicMs } from './monotonic.ts'
import type { PaymentBody } from './payment-maker.ts'

export type Endpoint = '/verify' | '/settle'

export interface Load {
  /** URL of the facilitator. */
  readonly url: string
  readonly endpoint: Endpoint
  /** One request each. */
  readonly bodies: readonly PaymentBody[]
  readonly inFlight: number
  /**
   * Waits up to this long before each request, not counted, so that the requests are spread evenly
   * over the time between two ledgers. @default 0
   */
  readonly spreadMs?: number
  /** For the answer. @default no limit */
  readonly timeoutMs?: number
}

export interface Sample {
  /** `monotonicMs`. */
  readonly startedAt: number
  readonly ms: number
  /** Absent when the answer is good. */
  readonly failure?: string
  /** Hash of a settlement answered as successful. */
  readonly transaction?: string
}

export interface LoadResult {
  readonly samples: readonly Sample[]
  readonly seconds: number
}

/** Keeps `inFlight` requests in flight until each body has an answer. */
export async function runLoad({
  url,
  endpoint,
  bodies,
  inFlight,
  spreadMs = 0,
  timeoutMs,
}: Load): Promise<LoadResult> {
  const texts = bodies.map((body) => JSON.stringify(body))
  const samples: Sample[] = []
  let next = 0
  const startedAt = monotonicMs()
  const worker = async () => {
    for (let index = next++; index < texts.length; index = next++) {
      if (spreadMs > 0) await pause(spreadMs * evenly(index))
      samples.push(await request(url + endpoint, texts[index] ?? '', timeoutMs))
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return { samples, seconds: (monotonicMs() - startedAt) / 1000 }
}

/** 0 to 1, spread evenly for any number of values (golden ratio sequence). */
const evenly = (index: number): number => ((index + 1) * 0.618_033_988_75) % 1

/** One request, with its answer and how long that took. */
export async function request(url: string, body: string, timeoutMs?: number): Promise<Sample> {
  const start = monotonicMs()
  const answer = await ask(url, body, timeoutMs)
  return {
    ...answer,
    startedAt: start,
    ms: monotonicMs() - start,
  }
}

async function ask(
  url: string,
  body: string,
  timeoutMs?: number,
): Promise<Pick<Sample, 'failure' | 'transaction'>> {
  try {
    const headers = { 'content-type': 'application/json' }
    const signal = timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { method: 'POST', headers, body, signal })
    return readAnswer(response.status, (await response.json()) as Answer)
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

interface Answer {
  readonly isValid?: boolean
  readonly invalidReason?: string
  readonly success?: boolean
  readonly errorReason?: string
  readonly transaction?: string
}

function readAnswer(status: number, answer: Answer): Pick<Sample, 'failure' | 'transaction'> {
  if (answer.isValid) return {}
  if (answer.success && answer.transaction) return { transaction: answer.transaction }
  return { failure: answer.invalidReason ?? answer.errorReason ?? `HTTP ${status}` }
}
