import { setTimeout as pause } from 'node:timers/promises'
import type { PaymentBody } from '../../../test/support/payments.ts'
import { request, type Sample } from '../load.ts'
import { monotonicMs } from '../monotonic.ts'

/** Signs the payment of one request, right before it is sent. */
export type Pay = (index: number) => Promise<PaymentBody>

export interface SteadyLoad {
  /** URL of the facilitator. */
  readonly url: string
  readonly pay: Pay
  readonly perSecond: number
  readonly seconds: number
  /** Requests that are sent at the same time. @default 1 */
  readonly atOnce?: number
}

const TIMEOUT_MS = 60_000

/** Sends requests at their times, whether earlier ones were answered or not; waits for all answers. */
export async function runSteadyLoad(load: SteadyLoad): Promise<Sample[]> {
  const { url, pay, perSecond, seconds, atOnce = 1 } = load
  const count = Math.round(perSecond * seconds)
  const start = monotonicMs()
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const at = ((Math.floor(index / atOnce) * atOnce) / perSecond) * 1_000
      await pause(Math.max(0, start + at - monotonicMs()))
      return settle(url, await pay(index))
    }),
  )
}

/** Settlements per second with `inFlight` requests in flight all the time. */
export async function measureCapacity(
  url: string,
  pay: Pay,
  { inFlight, seconds }: { readonly inFlight: number; readonly seconds: number },
): Promise<number> {
  const start = monotonicMs()
  let next = 0
  let settled = 0
  const worker = async () => {
    while (monotonicMs() < start + seconds * 1_000) {
      const { failure } = await settle(url, await pay(next++))
      if (failure === undefined) settled += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return settled / ((monotonicMs() - start) / 1_000)
}

const settle = (url: string, body: PaymentBody): Promise<Sample> =>
  request(`${url}/settle`, JSON.stringify(body), TIMEOUT_MS)
