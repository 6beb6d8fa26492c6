import { describe, expect, it } from 'vitest'
import { openTracer } from '../../../../src/platform/telemetry/traces/open-tracer.ts'
import { openPaymentStack } from '../../../support/payment-stack.ts'
import { openWallet, payment } from '../../../support/payments.ts'
import type { Stack } from '../../../support/stack.ts'
import { startCollector } from './collector.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const callerSpan = 'b7ad6b7169203331'

async function payOnce(stack: Stack, path: '/settle' | '/verify' = '/settle') {
  const payer = await openWallet(stack.localnet)
  const { address: payTo } = await openWallet(stack.localnet)
  const body = await payment(stack.localnet, { payer, payTo })
  const answer = await fetch(stack.baseUrl + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${callerSpan}-01`,
    },
    body: JSON.stringify(body),
  })
  return { payer, body, answer: await answer.json() }
}

describe('traces', () => {
  it("are of the caller's trace, one span a stage, and hold no secret", async () => {
    await using collector = await startCollector()
    const failures: unknown[] = []
    const onError = (error: unknown) => failures.push(error)
    const tracer = await openTracer(`${collector.url}/`, { version: 'test', onError })
    await using stack = await openPaymentStack({ tracer })
    await payOnce(stack, '/verify')
    const { payer, body, answer } = await payOnce(stack)
    await tracer[Symbol.asyncDispose]()

    expect(answer).toMatchObject({ success: true })
    expect(failures).toEqual([])
    const { spans, text } = collector
    const settle = spans.find(({ name }) => name === 'settle')
    expect(settle).toMatchObject({ traceId, parentSpanId: callerSpan })
    const inside = spans.filter(({ parentSpanId }) => parentSpanId === settle?.spanId)
    expect(inside.map(({ name }) => name).sort()).toEqual(
      [
        'check',
        'claim',
        'confirm',
        'lease',
        'record',
        'send',
        'sign',
        'signature',
        'simulate',
      ].sort(),
    )
    expect(spans.filter(({ name }) => name === 'finish')).toEqual([
      expect.objectContaining({ traceId }),
    ])
    expect(spans.find(({ name }) => name === 'verify')).toMatchObject({ traceId })
    const said = JSON.stringify(inside.find(({ name }) => name === 'send')?.attributes)
    expect(said).toContain(`stellar:testnet/${payer.address}/`)
    expect(text).not.toContain(String(body.paymentPayload.payload['transaction']))
    expect(text).not.toMatch(/"S[A-Z2-7]{55}"/)
  })

  it('cost a payment nothing when there is no collector, and say so once', async () => {
    const gone = await startCollector()
    await gone[Symbol.asyncDispose]()
    const failures: unknown[] = []
    const onError = (error: unknown) => failures.push(error)
    await using tracer = await openTracer(gone.url, { version: 'test', onError })
    await using stack = await openPaymentStack({ tracer })

    expect((await payOnce(stack)).answer).toMatchObject({ success: true })
    expect((await payOnce(stack)).answer).toMatchObject({ success: true })
    await tracer[Symbol.asyncDispose]()
    await expect.poll(() => failures.length, { timeout: 120_000, interval: 50 }).toBe(1)
  })
})
