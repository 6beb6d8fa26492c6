import { expect, test } from 'vitest'
import { openPaymentStack } from '../../support/payment-stack.ts'
import { openWallet, payment } from '../../support/payments.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'

test('a network that does not answer at the start is opened once it does', async () => {
  await using proxy = await startRpcProxy()
  proxy.fail('*', { kind: 'hang up' })
  await using stack = await openPaymentStack({
    rpcThrough: (rpcUrl) => proxy.forwardTo(rpcUrl),
    timings: { reopenMs: 100, monitorMs: 100, rpcTimeoutMs: 1_000 },
  })
  const { localnet } = stack
  const [payer, seller] = [await openWallet(localnet), await openWallet(localnet, 1n)]
  const body = await payment(localnet, { payer, payTo: seller.address })
  const channels = async () => (await stack.get('/ready')).body.checks['stellar:testnet:channels']

  expect(await channels()).toEqual({ ok: false, detail: '0' })
  const refused = await stack.post('/settle', body)
  expect(refused).toMatchObject({ status: 503, body: { error: { retryable: true } } })
  expect(refused.headers.has('retry-after')).toBe(true)

  proxy.heal()
  await expect.poll(channels, { timeout: 120_000 }).toEqual({ ok: true, detail: '3' })
  await expect
    .poll(async () => (await stack.post('/settle', body)).body, { timeout: 120_000 })
    .toMatchObject({ success: true })
})
