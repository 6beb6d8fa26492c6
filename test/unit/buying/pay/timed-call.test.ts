import { expect, test } from 'vitest'
import type { PaidAnswer, PayStep } from '../../../../src/buying/pay/pay.ts'
import { callTimer } from '../../../../src/buying/pay/timed-call.ts'

/** The seller says that verifying took 2 ms, and settling 5. */
const paid = {
  quote: {
    call: { url: 'https://api.example/' },
    required: { extensions: {} },
    offer: { terms: { scheme: 'exact' } },
  },
  answer: {
    status: 200,
    headers: new Headers({ 'server-timing': 'verify;dur=2, settle;dur=5' }),
    body: new Uint8Array(),
    cut: null,
  },
  settlement: { success: true },
} as unknown as PaidAnswer

test.each<[string, readonly (readonly [ms: number, step: PayStep])[], object]>([
  [
    'a payment has all',
    [
      [10, 'asking'],
      [30, 'priced'],
      [60, 'signed'],
      [100, 'answered'],
    ],
    { '402': 20, sign: 30, verify: 2, settle: 5, answer: 33 },
  ],
  [
    'one after a wait for the end of an earlier one has none of that wait',
    [
      [60_000, 'asking'],
      [60_020, 'priced'],
      [60_050, 'signed'],
      [60_100, 'answered'],
    ],
    { '402': 20, sign: 30, verify: 2, settle: 5, answer: 43 },
  ],
  ['one that was sent again has its answer alone', [[100, 'answered']], { answer: 100 }],
])('of the stages %s', (_, steps, stages) => {
  let now = Date.UTC(2026, 10, 1)
  const start = now
  const { onStep, callOf } = callTimer({ now: () => now })
  for (const [ms, step] of steps) {
    now = start + ms
    onStep(step)
  }
  expect(Object.fromEntries(callOf(paid).stages.map(({ name, ms }) => [name, ms]))).toEqual(stages)
})
