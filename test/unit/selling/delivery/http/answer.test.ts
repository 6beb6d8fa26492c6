import { describe, expect, it } from 'vitest'
import {
  type AnswerHead,
  keptAnswer,
  type Outcome,
  outcomeOf,
  receiptAlone,
  sentAgain,
} from '../../../../../src/selling/delivery/http/answer.ts'

const encoded = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64')
const receipt = (content: object): AnswerHead['headers'] => [['payment-response', encoded(content)]]
const refused = (error: string): AnswerHead['headers'] => [['payment-required', encoded({ error })]]

const settled = { success: true, transaction: 'a1', network: 'stellar:testnet' }

describe('outcomeOf', () => {
  it.each<{ of: string; status: number; headers: AnswerHead['headers']; outcome: Outcome }>([
    { of: 'goods with a receipt', status: 200, headers: receipt(settled), outcome: 'delivered' },
    {
      of: 'goods with a receipt of version 1',
      status: 200,
      headers: [['x-payment-response', encoded(settled)]],
      outcome: 'delivered',
    },
    {
      of: 'a failure after the settlement',
      status: 500,
      headers: receipt(settled),
      outcome: 'open',
    },
    {
      of: 'a refusal after the settlement',
      status: 404,
      headers: receipt(settled),
      outcome: 'open',
    },
    {
      of: 'a settlement without an end',
      status: 402,
      headers: receipt({ success: false, errorReason: 'settlement_pending' }),
      outcome: 'open',
    },
    {
      of: 'a settlement that failed',
      status: 402,
      headers: receipt({ success: false, errorReason: 'insufficient_funds' }),
      outcome: 'unpaid',
    },
    {
      of: 'a payment that is not valid',
      status: 402,
      headers: refused('invalid_payload'),
      outcome: 'unpaid',
    },
    {
      of: 'a payment that was settled before',
      status: 402,
      headers: refused('invalid_exact_stellar_payload_nonce_already_used'),
      outcome: 'unpaid',
    },
    ...[
      'fetch failed',
      'Facilitator settle failed (502): bad gateway',
      'unexpected_settle_error',
      'settlement_in_progress',
      'nonce_already_used',
    ].map((errorReason) => ({
      of: `a settlement that ended with ${errorReason}`,
      status: 402,
      headers: receipt({ success: false, errorReason }),
      outcome: 'open' as const,
    })),
    { of: 'a settlement that threw', status: 402, headers: [], outcome: 'open' },
    {
      of: 'a receipt that cannot be read',
      status: 402,
      headers: [['payment-response', '%']],
      outcome: 'open',
    },
    { of: 'a facilitator out of reach', status: 502, headers: [], outcome: 'open' },
    { of: 'a refusal by the handler', status: 404, headers: [], outcome: 'unpaid' },
    { of: 'a route without a price', status: 200, headers: [], outcome: 'unpaid' },
  ])('of $of is $outcome', ({ status, headers, outcome }) => {
    expect(outcomeOf({ status, headers })).toBe(outcome)
  })
})

it('keeps what was sent, without what belongs to one session or one connection', () => {
  const body = new Uint8Array([1, 2])
  const kept = keptAnswer({
    status: 201,
    headers: [
      ...receipt(settled),
      ['content-type', 'image/png'],
      ['set-cookie', 'session=1'],
      ['connection', 'keep-alive'],
      ['transfer-encoding', 'chunked'],
      ['content-length', '2'],
      ['date', 'Sat, 28 Nov 2026 00:00:00 GMT'],
      ['link', '<a>'],
      ['link', '<b>'],
      ['settlement-overrides', '{}'],
    ],
    body,
  })
  expect(kept).toEqual({
    status: 201,
    headers: [...receipt(settled), ['content-type', 'image/png'], ['link', '<a>'], ['link', '<b>']],
    body: 'AQI=',
  })
  expect(sentAgain(kept).body).toEqual(Buffer.from(body))
})

it('keeps of other answers the receipt and who may read it', () => {
  const origin = ['access-control-allow-origin', '*'] as const
  const { status, headers, body } = receiptAlone({
    status: 200,
    headers: [...receipt(settled), origin, ['content-type', 'text/event-stream']],
  })
  expect(status).toBe(410)
  expect(Object.fromEntries(headers)).toEqual({
    ...Object.fromEntries([...receipt(settled), origin]),
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ error: 'answer_not_kept' })
})
