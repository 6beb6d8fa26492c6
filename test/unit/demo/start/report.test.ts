import { describe, expect, it } from 'vitest'
import type { ObservedPayment } from '../../../../src/demo/observe/observed-payment.ts'
import { paymentReport } from '../../../../src/demo/start/report.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'

const payment: ObservedPayment = {
  call: {
    url: 'http://127.0.0.1:4021/weather',
    method: 'GET',
    status: 200,
    body: '{"weather":"sunny"}',
    payer: 'GBUY',
    accepted: {
      scheme: 'exact',
      network: 'stellar:testnet',
      amount: '100000',
      asset: 'CUSDC',
      payTo: 'GSELL',
      maxTimeoutSeconds: 60,
      extra: {},
    },
    settlement: { success: true, transaction: 'ab12', network: 'stellar:testnet' },
    receipt: {
      url: 'http://127.0.0.1:4021/weather',
      method: 'GET',
      status: 200,
      scheme: 'exact',
      network: 'stellar:testnet',
      asset: 'CUSDC',
      signed: '100000',
      amount: '100000',
      usdc: '0.01',
      payTo: 'GSELL',
      payer: 'GBUY',
      transaction: 'ab12',
      outcome: 'settled',
      reference: 'testnet_1',
      lastLedger: 9,
      validUntil: '2026-01-01T00:01:00.000Z',
      at: '2026-01-01T00:00:00.000Z',
    },
    proof: { offer: null, receipt: null },
    stages: [
      { name: '402', ms: 12 },
      { name: 'sign', ms: 230 },
      { name: 'verify', ms: 27 },
      { name: 'settle', ms: 1_904 },
      { name: 'answer', ms: 8 },
    ],
  },
  parties: {
    buyer: 'GBUYERAAAAAAAAAA1111',
    seller: 'GSELLERAAAAAAAAA2222',
    sponsor: 'GSPONSORAAAAAAAA3333',
  },
  before: { buyer: 100_000_000n, seller: 10_000_000n, sponsor: asStroops(99_999_997_600n) },
  after: { buyer: 99_900_000n, seller: 10_100_000n, sponsor: asStroops(99_999_974_551n) },
  landed: { ledger: 8, feeCharged: asStroops(23_049n) },
}

describe('paymentReport', () => {
  it('says who paid what to whom, who paid the fee, and how long each step took', () => {
    expect(paymentReport(payment)).toBe(`One paid call: GET http://127.0.0.1:4021/weather

  price        0.01 USDC
  paid to      GSELL
  buyer        GBUY…1111            10 USDC  →  9.99 USDC
  seller       GSEL…2222             1 USDC  →  1.01 USDC
  sponsor      GSPO…3333     9999.99976 XLM  →  9999.9974551 XLM
  network fee  0.0023049 XLM (23,049 stroops), paid by the sponsor
  transaction  ab12
  ledger       8
  answer       {"weather":"sunny"}

  asked, answered 402       12 ms
  signed                   230 ms
  verified                  27 ms
  settled                   1.9 s
  answered 200               8 ms
  in all                    2.2 s
`)
  })

  it('says of a metered call what the buyer signed, what the answer used, and what was paid', () => {
    const { call, before } = payment
    const report = (body: string, used: bigint) =>
      paymentReport({
        ...payment,
        call: { ...call, body, metered: { ceiling: 200_000n, used } },
        after: { ...payment.after, buyer: before.buyer - used },
      })
    expect(
      report('é'.repeat(24), 48_000n),
    ).toContain(`One metered call: GET http://127.0.0.1:4021/weather

  ceiling      0.02 USDC, signed by the buyer
  used         0.0048 USDC: 48 bytes of answer at 0.0001 USDC
  paid         0.0048 USDC
  paid to      GSELL
`)
    // An answer that uses more costs the ceiling.
    expect(report('x'.repeat(354), 200_000n)).toContain(`
  used         0.0354 USDC: 354 bytes of answer at 0.0001 USDC
  paid         0.02 USDC
`)
  })
})
