import { expect, test } from 'vitest'
import { retireChannels } from '../../../src/payments/channels/retire/retire.ts'
import { keysOfSeed } from '../../../src/payments/channels/sponsor-keys.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { rpcClient } from '../../../src/stellar/rpc/rpc-client.ts'
import { network } from '../../support/sponsors.ts'
import { settleOf } from '../../support/upto-payments.ts'
import { contract, openUptoSponsors } from './upto-sponsors.ts'

test('under a new sponsor, what was signed for the authority of the old one settles while its seed is configured', {
  timeout: 240_000,
}, async () => {
  await using world = await openUptoSponsors()
  const { stack, payer, old, young } = world
  const pay = (payTo?: string) => world.pay(old.authority, payTo)
  const [first, second] = [await pay(), await pay()]
  expect((await stack.post('/verify', first)).body).toMatchObject({ isValid: true })

  // The rotation as documented: the old sponsor is emptied, and with it its authority.
  const rpc = rpcClient({ url: stack.localnet.httpUrl, allowHttp: true })
  const merged = await retireChannels({
    network,
    keys: keysOfSeed(old.secret),
    count: 3,
    inclusionFee: asStroops(100n),
    rpc,
    store: stack.store,
    besideService: true,
    clock: systemClock,
    signal: AbortSignal.timeout(200_000),
    onProgress: () => undefined,
  })
  expect(merged).toBe(4)
  expect((await rpc.accounts([old.authority])).size).toBe(0)

  await using unaware = await stack.replica({ sponsorSecret: young.secret })
  const refused = await unaware.post('/settle', settleOf(first, 40_000n))
  expect(refused.body).toMatchObject({
    success: false,
    errorReason: 'invalid_exact_stellar_payload_unauthorized_invocation',
    errorMessage: expect.stringContaining(young.authority),
    transaction: '',
  })

  await using successor = await stack.replica({
    sponsorSecret: young.secret,
    previousSponsorSecret: old.secret,
  })
  expect((await successor.post('/settle', settleOf(first, 40_000n))).body).toMatchObject({
    success: true,
    amount: '40000',
    payer: payer.address,
  })
  expect((await successor.post('/settle', settleOf(second, 0n))).body).toMatchObject({
    success: true,
    amount: '0',
  })
  for (const payTo of [old.authority, young.authority]) {
    expect((await successor.post('/verify', await pay(payTo))).body).toMatchObject({
      invalidReason: 'invalid_exact_stellar_requirements_invalid_pay_to',
    })
  }
  const supported = await fetch(`${successor.baseUrl}/supported`)
  expect(await supported.json()).toMatchObject({
    kinds: expect.arrayContaining([
      expect.objectContaining({
        scheme: 'upto',
        extra: expect.objectContaining({ authority: young.authority, uptoContract: contract }),
      }),
    ]),
  })
})
