import { expect, test } from 'vitest'
import { isOwnAccount } from '../../../src/payments/store/channels/is-own-account.ts'
import { listAuthorities } from '../../../src/payments/store/upto/authorities.ts'
import { transactionsAfter, transfersOf } from '../../support/ledger-view.ts'
import { rowOf } from './store-view.ts'
import { openWorld } from './world.ts'

/** interface.md, Settlement: records are keyed by the payer's authorization, not by the sponsor. */
test('under a new sponsor, a repeat of an earlier payment gets the stored answer and settles nothing', async () => {
  await using world = await openWorld()
  const { stack } = world
  const body = await world.pay()
  const ledger = stack.localnet.network.latest.sequence
  const first = await stack.post('/settle', body)
  expect(first.body).toMatchObject({ success: true })

  await using successor = await stack.replica('another sponsor')
  expect((await successor.post('/settle', body)).body).toEqual(first.body)
  const other = structuredClone(body)
  other.paymentPayload['resource'] = { url: 'https://seller.example/another-report' }
  expect((await successor.post('/settle', other)).body).toMatchObject({
    errorReason: 'settle_exact_stellar_idempotency_conflict',
    transaction: '',
  })
  const transfers = transactionsAfter(stack.localnet.network, ledger).flatMap(transfersOf)
  expect(transfers.filter(({ amount }) => amount === 100_000n)).toHaveLength(1)
  expect(await rowOf(stack, body)).toMatchObject({ sponsor: world.sponsor, attempt: 1 })
})

test('under a new sponsor, an envelope that the old one signed is followed to its end with the same bytes', async () => {
  await using world = await openWorld({ timings: { confirmWindowMs: 200 } })
  const { stack } = world
  await using successor = await stack.replica('another sponsor')
  stack.hold(true)
  const body = await world.pay()
  const pending = await stack.post('/settle', body)
  expect(pending.body).toMatchObject({ errorReason: 'settlement_pending' })
  await stack.localnet.closeLedger()
  const { transaction } = pending.body
  expect((await successor.post('/settle', body)).body).toMatchObject({ success: true, transaction })
})

test('under a new sponsor, the accounts of the old one are still refused as payer and recipient', async () => {
  await using world = await openWorld()
  await using successor = await world.stack.replica('another sponsor')
  const { db } = world.stack.store
  const authorities = await listAuthorities(db, 'stellar:testnet')
  const old = authorities.find(({ sponsor }) => sponsor === world.sponsor)?.account ?? ''
  expect(authorities).toHaveLength(2)
  for (const payTo of [world.sponsor, world.channel, old]) {
    expect(await isOwnAccount(db, 'stellar:testnet', payTo)).toBe(true)
    const { body } = await successor.post('/verify', await world.pay({ payTo }))
    expect(body).toMatchObject({
      invalidReason: 'invalid_exact_stellar_requirements_invalid_pay_to',
    })
  }
  const settled = await successor.post('/settle', await world.pay())
  expect(settled.body).toMatchObject({ success: true })
})
