import { expect, test } from 'vitest'
import { listAuthorities } from '../../../src/payments/store/upto/authorities.ts'
import { network } from '../../support/sponsors.ts'
import { settleOf } from '../../support/upto-payments.ts'
import { openUptoSponsors } from './upto-sponsors.ts'

test('while replicas of two sponsors run, each settles what was signed for the authority of the other', {
  timeout: 240_000,
}, async () => {
  await using world = await openUptoSponsors()
  const { stack, old, young, pay } = world

  await using before = await stack.replica({
    sponsorSecret: old.secret,
    nextSponsorSecret: young.secret,
  })
  // The next sponsor creates its authority itself: before that its address is known, and nothing was paid for it.
  expect(await listAuthorities(stack.store.db, network)).toContainEqual({
    network,
    sponsor: young.address,
    account: young.authority,
  })
  const rpc = before.facilitator.networks.get(network)?.rpc
  expect((await rpc?.accounts([young.authority]))?.size).toBe(0)
  expect(
    (await before.post('/verify', await pay(old.authority, young.authority))).body,
  ).toMatchObject({ invalidReason: 'invalid_exact_stellar_requirements_invalid_pay_to' })

  await using after = await stack.replica({
    sponsorSecret: young.secret,
    previousSponsorSecret: old.secret,
  })
  const unaware = await stack.post('/settle', settleOf(await pay(young.authority), 10_000n))
  expect(unaware.body).toMatchObject({
    errorReason: 'invalid_exact_stellar_payload_unauthorized_invocation',
    transaction: '',
  })
  for (const [replica, authority] of [
    [before, young.authority],
    [before, old.authority],
    [after, old.authority],
    [after, young.authority],
  ] as const) {
    const payment = await pay(authority)
    expect((await replica.post('/verify', payment)).body).toMatchObject({ isValid: true })
    const settled = await replica.post('/settle', settleOf(payment, 40_000n))
    expect(settled.body).toMatchObject({ success: true, amount: '40000' })
  }
  for (const [replica, authority] of [
    [before, old.authority],
    [after, young.authority],
  ] as const) {
    const { kinds } = (await (await fetch(`${replica.baseUrl}/supported`)).json()) as {
      kinds: object[]
    }
    expect(kinds).toContainEqual(
      expect.objectContaining({ scheme: 'upto', extra: expect.objectContaining({ authority }) }),
    )
  }
})
