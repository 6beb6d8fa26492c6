import type { SettleResponse } from '@x402/core/types'
import { expect, test } from 'vitest'
import { settleToVerdict } from '../../../../src/selling/delivery/settle.ts'

const network = 'stellar:testnet'
const success: SettleResponse = { success: true, transaction: 'hash', network }
const failure = (errorReason: string): SettleResponse => ({
  success: false,
  errorReason,
  transaction: '',
  network,
})
const thrown = (members: object) => Object.assign(new Error('status 400'), members)

/** Answers in turn; an error is thrown. */
async function settled(...answers: readonly (SettleResponse | Error)[]) {
  let asked = 0
  const settle = async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)]
    if (answer instanceof Error || !answer) throw answer
    return answer
  }
  const clock = { now: () => 0, sleep: async () => {} }
  const answer = await settleToVerdict(settle, { network, clock, onError: () => {} })
  return { answer, asked }
}

test.each<[string, readonly (SettleResponse | Error)[], object, number]>([
  ['a success', [success], success, 1],
  ['a refusal', [failure('insufficient_funds')], { errorReason: 'insufficient_funds' }, 1],
  ['a refusal in a code of others', [failure('no_gas')], { errorReason: 'no_gas' }, 1],
  [
    'a refusal that is thrown',
    [thrown({ errorReason: 'no', payer: 'G' })],
    { success: false, errorReason: 'no', payer: 'G' },
    1,
  ],
  ['pending, then a success', [failure('settlement_pending'), success], success, 2],
  ['a lost answer, then a success', [new Error('broken'), success], success, 2],
  [
    'a fault of the service, then a success',
    [failure('settle_exact_stellar_channel_unavailable'), success],
    success,
    2,
  ],
  ['pending for ever', [failure('settlement_pending')], { errorReason: 'settlement_pending' }, 6],
  [
    'no answer at all',
    [new Error('broken')],
    { success: false, errorReason: 'settlement_pending' },
    6,
  ],
])('%s', async (_, answers, expected, asked) => {
  const result = await settled(...answers)
  expect(result.answer).toMatchObject(expected)
  expect(result.asked).toBe(asked)
})
