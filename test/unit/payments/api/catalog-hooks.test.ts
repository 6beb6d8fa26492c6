import { describe, expect, it } from 'vitest'
import {
  type CatalogHooks,
  previewHeader,
  settledHeader,
} from '../../../../src/payments/api/catalog-hooks.ts'
import { checkPayment } from '../../../../src/payments/checks/check-payment.ts'
import type { Payment } from '../../../../src/payments/schemes/scheme.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { policy, request } from '../protocol/payment-builder.ts'

const key = { network: 'stellar:testnet', payer: 'GPAYER', nonce: '1' } as const

async function paymentWith(extensions: unknown): Promise<Payment> {
  const given = await request()
  const paymentPayload = { ...given.paymentPayload, extensions }
  const checked = checkPayment({ ...given, paymentPayload }, policy, 'settle')
  if (!checked.ok) throw new Error(checked.refusal.message)
  return checked.payment
}

/** Both headers of a payment, with the same hook, after `ms`. */
async function headers(ask: () => Promise<string | undefined>, ms = 0, extensions?: unknown) {
  const clock = new FakeClock()
  const metrics = createMetrics()
  const log = createLogger({ level: 'silent' })
  const catalog: CatalogHooks = { preview: ask, settled: ask }
  const deps = { catalog, clock, metrics, log }
  const payment = await paymentWith(extensions ?? { bazaar: {} })
  const answers: Record<string, string | undefined> = {}
  const asking = [
    previewHeader(deps, payment).then((value) => (answers['preview'] = value ?? 'none')),
    settledHeader(deps, key, payment.request).then(
      (value) => (answers['settled'] = value ?? 'none'),
    ),
  ]
  await clock.advance(ms)
  return { answers, asking, clock, metrics }
}

describe('the header of a payment', () => {
  it('is what the catalog answers', async () => {
    const { answers } = await headers(async () => 'eyJ9')
    expect(answers).toEqual({ preview: 'eyJ9', settled: 'eyJ9' })
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('broken'))],
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['answers with more than a header', async () => 'a\r\nset-cookie: b'],
    ['answers with too much', async () => 'a'.repeat(4_097)],
    ['answers with nothing', async () => ''],
  ])('is left out, and counted, when the catalog %s', async (_, ask) => {
    const { answers, metrics, clock } = await headers(ask)
    expect(answers).toEqual({ preview: 'none', settled: 'none' })
    expect((await metrics.expose()).text).toContain(
      'svc_background_errors_total{task="catalog_answer"} 2',
    )
    expect(clock.sleeping).toBe(0)
  })

  it('is waited for 250 ms by a verification and 2 s by a settlement', async () => {
    const { answers, clock, asking } = await headers(() => new Promise(() => undefined), 249)
    expect(answers).toEqual({})
    await clock.advance(1)
    expect(answers).toEqual({ preview: 'none' })
    await clock.advance(1_749)
    expect(answers).toEqual({ preview: 'none' })
    await clock.advance(1)
    expect(answers).toEqual({ preview: 'none', settled: 'none' })
    await Promise.all(asking)
    expect(clock.sleeping).toBe(0)
  })

  it.each([{}, 'bazaar', ['bazaar'], { other: {} }])(
    'is left out without asking when the payment has the extensions %j',
    async (extensions) => {
      let asked = 0
      const ask = async () => {
        asked += 1
        return 'eyJ9'
      }
      const { answers } = await headers(ask, 0, extensions)
      expect(answers).toEqual({ preview: 'none', settled: 'none' })
      expect(asked).toBe(0)
    },
  )

  it('is left out while the catalog is off', async () => {
    const payment = await paymentWith({ bazaar: {} })
    const deps = {
      clock: new FakeClock(),
      metrics: createMetrics(),
      log: createLogger({ level: 'silent' }),
    }
    expect(await previewHeader(deps, payment)).toBeUndefined()
    expect(await settledHeader(deps, key, payment.request)).toBeUndefined()
  })
})
