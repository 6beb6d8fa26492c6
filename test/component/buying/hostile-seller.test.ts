import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import {
  type Answer,
  answers,
  asksFor,
  offer,
  paidServer,
  settled,
} from '../commands/buying/paid-server.ts'
import { type BuyerWorld, buyerWorld } from './buyer-world.ts'
import { endless, header, inTurn, rawPrice, redirects, silent, stalls } from './hostile-answers.ts'

/* A buyer on a real network, and sellers that try to get more than the buyer agreed to. */

let world: BuyerWorld

beforeAll(async () => {
  world = await buyerWorld()
})

afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const price = (changes: object = {}): Answer => asksFor(offer(world.seller.address, changes))
/** A stranger's contract. */
const otherToken = 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

interface Trick {
  readonly when: string
  /** Of the calls without a payment. */
  readonly unpaid: () => Answer
  readonly code: string
  readonly says: RegExp
  /** It never ends its answer: the buyer waits half a second. */
  readonly isSilent?: true
}

/** Half a second for a seller that never answers; what answers has time, also on a busy machine. */
const patience = ({ isSilent }: Trick) => (isSilent ? { timeLimitMs: 500 } : {})

const tricks: readonly Trick[] = [
  {
    when: 'raises the price after the quote',
    unpaid: () => inTurn(price(), price({ amount: '100001' })),
    code: 'offer_changed',
    says: /changed its offer: amount was 100000 and is 100001$/,
  },
  {
    when: 'names another payee after the quote',
    unpaid: () => inTurn(price(), price({ payTo: world.buyer.address })),
    code: 'offer_changed',
    says: /payTo was G\w{55} and is G\w{55}$/,
  },
  {
    when: 'wants another token after the quote',
    unpaid: () => inTurn(price(), price({ asset: otherToken })),
    code: 'offer_changed',
    says: /no longer offers what it quoted$/,
  },
  {
    when: 'wants another network after the quote',
    unpaid: () => inTurn(price(), price({ network: 'stellar:pubnet' })),
    code: 'offer_changed',
    says: /no longer offers what it quoted$/,
  },
  {
    when: 'wants a longer authorization after the quote',
    unpaid: () => inTurn(price(), price({ maxTimeoutSeconds: 900 })),
    code: 'offer_changed',
    says: /maxTimeoutSeconds was 60 and is 900$/,
  },
  {
    when: 'changes a member that only it knows after the quote',
    unpaid: () => inTurn(price(), price({ extra: { areFeesSponsored: true, other: 1 } })),
    code: 'offer_changed',
    says: /changed its offer|no longer offers/,
  },
  {
    when: 'wants another token',
    unpaid: () => price({ asset: otherToken }),
    code: 'other_asset',
    says: new RegExp(`takes the token ${otherToken}, not ${usdcContracts['stellar:testnet']}$`),
  },
  {
    when: 'wants another network',
    unpaid: () => price({ network: 'stellar:pubnet' }),
    code: 'not_payable',
    says: /offers exact on stellar:pubnet, and this client pays/,
  },
  {
    when: 'wants more than the most to pay',
    unpaid: () => price({ amount: '1000001' }),
    code: 'too_expensive',
    says: /^the price is 0\.1000001 USDC, and the most to pay is 0\.1 USDC$/,
  },
  {
    when: 'wants an authorization for a year',
    unpaid: () => price({ maxTimeoutSeconds: 31_536_000 }),
    code: 'not_payable',
    says: /exact with a payment that stays valid for 31536000 s \(the most is 900 s\)/,
  },
  ...['-1', '0', '1e6', '0x10', '1.5', '', ' 5', '9'.repeat(60)].map((amount) => ({
    when: `asks for the amount '${amount.slice(0, 12)}'`,
    unpaid: () => price({ amount }),
    code: 'not_payable',
    says: /offers exact with the amount/,
  })),
  {
    when: 'hides control characters in its offers',
    unpaid: () => price({ network: 'x:\u001b[2J\u202e\nsvc pay: paid' }),
    code: 'not_payable',
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
    says: /^[^\u0000-\u001f\u202e]+$/,
  },
  {
    when: 'nests an offer without end',
    unpaid: () =>
      rawPrice(base64(`{"x402Version":2,"accepts":${'['.repeat(9_000)}${']'.repeat(9_000)}}`)),
    code: 'not_payable',
    says: /402 without a price/,
  },
  {
    when: 'sends objects in place of texts',
    unpaid: () => price({ network: { toString: 1 }, scheme: { toString: null } }),
    code: 'not_payable',
    says: /offers something that is no offer/,
  },
  {
    when: 'offers no list',
    unpaid: () => asksFor({ x402Version: 2, accepts: 'all' }),
    code: 'not_payable',
    says: /402 without a price/,
  },
  {
    when: 'offers things that are no objects',
    unpaid: () => asksFor({ x402Version: 2, accepts: [null, 7, 'exact', []] }),
    code: 'not_payable',
    says: /offers undefined on undefined/,
  },
  {
    when: 'sends a price that is no base64',
    unpaid: () => rawPrice('{"x402Version":2}'),
    code: 'not_payable',
    says: /402 without a price/,
  },
  {
    when: 'sends headers of more than 64 KiB',
    unpaid: () => rawPrice('A'.repeat(70_000)),
    code: 'unreachable',
    says: /UND_ERR_HEADERS_OVERFLOW/,
  },
  {
    when: 'answers a page without end',
    unpaid: () => endless(200),
    code: 'no_price',
    says: /answered 200 and asked for no payment$/,
  },
  {
    when: 'answers a 402 without price and without end',
    unpaid: () => endless(402),
    code: 'not_payable',
    says: /402 without a price/,
  },
  {
    when: 'never answers',
    unpaid: () => silent,
    isSilent: true,
    code: 'timed_out',
    says: /did not answer within 0\.5 s$/,
  },
  {
    when: 'begins an answer and never ends it',
    unpaid: () => stalls(200),
    isSilent: true,
    code: 'no_price',
    says: /answered 200/,
  },
  {
    when: 'gives it away after the quote',
    unpaid: () => inTurn(price(), answers(200)),
    code: 'no_price',
    says: /answered 200/,
  },
]

describe('a seller that', () => {
  test.each(tricks)('$when gets no signature', async (trick) => {
    const { unpaid, code, says } = trick
    const before = await world.balance()
    await using server = await paidServer(unpaid(), answers(200, settled))

    const failure = await world.failure(server.url, { quoteLimits: patience(trick) })

    expect(failure).toMatchObject({ code, paid: false, isSent: false, receipt: undefined })
    expect(failure.message).toMatch(says)
    expect(server.paid).toEqual([])
    expect(await world.balance()).toBe(before)
  })

  test.each([301, 302, 303, 307, 308])(
    'redirects with %i reaches nobody, before and after the quote',
    async (status) => {
      await using canary = await paidServer(price(), answers(200, settled))
      const away = redirects(status, canary.url)
      for (const unpaid of [away, inTurn(price(), away)]) {
        await using server = await paidServer(unpaid, answers(200, settled))
        expect(await world.failure(server.url)).toMatchObject({ code: 'redirected', isSent: false })
        expect(server.paid).toEqual([])
      }
      expect(canary.calls()).toBe(0)
    },
  )
})

describe('a seller that holds one signed payment', () => {
  const received: readonly (Trick & { readonly paid: boolean | null; readonly outcome: string })[] =
    [
      {
        when: 'asks for a payment again and again',
        unpaid: () => price(),
        code: 'refused',
        says: /refused the payment$/,
        paid: null,
        outcome: 'refused',
      },
      {
        when: 'asks for more with a second 402',
        unpaid: () => price({ amount: '900000' }),
        code: 'refused',
        says: /refused the payment$/,
        paid: null,
        outcome: 'refused',
      },
      {
        when: 'redirects the payment',
        unpaid: () => redirects(307, 'http://127.0.0.1:9/'),
        code: 'outcome_unknown',
        says: /answered 307 without saying what became of the payment$/,
        paid: null,
        outcome: 'unknown',
      },
      {
        when: 'never answers',
        unpaid: () => silent,
        isSilent: true,
        code: 'outcome_unknown',
        says: /did not answer within 0\.5 s$/,
        paid: null,
        outcome: 'unknown',
      },
      {
        when: 'says that it was paid, and breaks its answer off',
        unpaid: () => stalls(200, header('payment-response', settled)),
        isSilent: true,
        code: 'paid_without_answer',
        says: /took the payment and broke off its answer$/,
        paid: true,
        outcome: 'settled',
      },
      {
        when: 'sends objects in place of texts',
        unpaid: () =>
          answers(402, {
            success: { toString: 1 },
            transaction: { toString: 1 },
            errorReason: { toString: 1 },
            errorMessage: [{ toString: 1 }],
            amount: { valueOf: 1 },
          }),
        code: 'outcome_unknown',
        says: /answered 402: without a reason$/,
        paid: null,
        outcome: 'unknown',
      },
      {
        when: 'names a transaction that is none',
        unpaid: () => answers(500, { ...settled, transaction: '\u001b[2Jpaid', success: false }),
        code: 'outcome_unknown',
        says: /answered 500: without a reason$/,
        paid: null,
        outcome: 'unknown',
      },
    ]

  test.each(received)('$when gets no second one', async (trick) => {
    const { unpaid, code, says, paid, outcome } = trick
    const before = await world.balance()
    await using server = await paidServer(price(), unpaid())

    const failure = await world.failure(server.url, { limits: patience(trick) })

    expect(failure).toMatchObject({ code, paid, isSent: true })
    expect(failure.message).toMatch(says)
    expect(failure.receipt).toMatchObject({
      outcome,
      signed: '100000',
      amount: null,
      payer: world.buyer.address,
      payTo: world.seller.address,
    })
    expect(failure.receipt?.transaction ?? 'a').toMatch(/^a+$/)
    expect(server.paid).toHaveLength(1)
    // The signed payment was never settled.
    expect(await world.balance()).toBe(before)
  })

  test('sends an answer without end is cut, and that is said', async () => {
    const unending = endless(200, header('payment-response', settled))
    await using server = await paidServer(price(), unending)
    const quoted = await world.ask(server.url)

    const { answer, receipt } = await world.pay(quoted, { limits: { maxBytes: 100_000 } })

    expect(answer.body.length).toBe(100_000)
    expect(answer.cut).toBe('size')
    expect(receipt.outcome).toBe('settled')
    expect(server.paid).toHaveLength(1)
  })
})
