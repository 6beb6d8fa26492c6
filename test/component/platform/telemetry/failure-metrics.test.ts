/** What alerts on settlements count: the service's own failures, also those that are answered with HTTP 200. */
import { expect, test } from 'vitest'
import { serviceFaults } from '../../../../src/payments/causes/service-faults.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { openPaymentStack } from '../../../support/payment-stack.ts'
import { openWallet, payment } from '../../../support/payments.ts'
import type { Stack } from '../../../support/stack.ts'

const network = 'network="stellar:testnet"'

/** Values by series, of the metrics whose name starts so. */
async function samples({ metrics }: Stack, name: string): Promise<Record<string, number>> {
  const { text } = await metrics.expose()
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`))
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(name.length, line.lastIndexOf(' ')),
      Number(line.split(' ').at(-1)),
    ]),
  )
}

test('a sponsor below its reserve is seen although every refusal is HTTP 200, and what payers cause is not', async () => {
  const reserve = 10n ** 15n
  await using stack = await openPaymentStack({ network: { sponsorReserve: asStroops(reserve) } })
  const failures = () => samples(stack, 'svc_settlement_failures_total')
  const started = serviceFaults.map((reason) => [`{${network},reason="${reason}"}`, 0])
  expect(await failures()).toEqual(Object.fromEntries(started))

  const payer = await openWallet(stack.localnet)
  const { address: payTo } = await openWallet(stack.localnet)
  const settle = async (amount?: bigint) => {
    const body = await payment(stack.localnet, {
      payer,
      payTo,
      ...(amount !== undefined && { amount }),
    })
    const answer = await stack.post('/settle', body)
    expect(answer.status).toBe(200)
    return answer.body.errorReason
  }
  // More than the payer has.
  expect(await settle(10n ** 15n)).toBe('insufficient_funds')
  expect(await failures()).toEqual(Object.fromEntries(started))

  const unavailable = 'settle_exact_stellar_sponsor_unavailable'
  expect(await settle()).toBe(unavailable)
  expect(await failures()).toMatchObject({ [`{${network},reason="${unavailable}"}`]: 1 })

  const [spendable = Number.NaN] = Object.values(
    await samples(stack, 'svc_sponsor_spendable_stroops'),
  )
  const [minimum = Number.NaN] = Object.values(await samples(stack, 'svc_sponsor_minimum_stroops'))
  expect(minimum).toBe(Number(reserve))
  expect(spendable).toBeLessThan(minimum)
})
