/** A sponsor that cannot pay: each transaction that the ledger includes and refuses costs its fee. */
import { expect, test } from 'vitest'
import { PoolBackoff } from '../../../../../src/kubernetes/operator/channel-pool/converge/backoff.ts'
import type { StellarRpc } from '../../../../../src/stellar/rpc/rpc.ts'
import { transactionsAfter } from '../../../../support/ledger-view.ts'
import { openPoolWorld } from './pool-world.ts'

test('a pool that cannot pay for all its channels sends no transaction that must fail, and says what to send', async () => {
  await using world = await openPoolWorld(30n)
  const { applied, plan } = await world.maintain(60)
  expect(plan.ready).toHaveLength(27)
  expect(applied).toMatchObject({
    kind: 'short',
    message: expect.stringMatching(/33 channels cost 33\.1 XLM.*: send 32\.6 XLM to G\w{55}$/),
  })
  const before = world.localnet.network.latest.sequence
  await world.maintain(60, { passes: 10 })
  await world.localnet.closeLedger()
  expect(transactionsAfter(world.localnet.network, before)).toEqual([])
  await world.localnet.pay({ address: world.sponsor.address, asset: 'XLM', amount: 326_000_000n })
  expect((await world.maintain(60)).plan.ready).toHaveLength(60)
})

test('a transaction that the network refuses is not sent again with every pass, until the sponsor has received XLM', async () => {
  await using world = await openPoolWorld(30n)
  let sent = 0
  const refusing: StellarRpc = {
    ...world.rpc,
    send: async () => {
      sent += 1
      const { sequence: latestLedger, closeTime: latestCloseTime } = await world.rpc.latestLedger()
      const code = { status: 'ERROR', resultCode: 'txInsufficientBalance' } as const
      return { ...code, hash: '0'.repeat(64), latestLedger, latestCloseTime, events: [] }
    },
  }
  const backoff = new PoolBackoff()
  let now = 0
  const options = { backoff, rpc: refusing, now: () => now }
  const look = () => world.maintain(3, { ...options, passes: 10 })
  const { applied } = await look()
  expect(applied).toMatchObject({
    kind: 'short',
    message: expect.stringContaining('txInsufficientBalance'),
  })
  expect(sent).toBe(1)
  now = 60_000
  await look()
  expect(sent).toBe(2)
  now += 60_000
  await look()
  expect(sent).toBe(2)
  await world.localnet.pay({ address: world.sponsor.address, asset: 'XLM', amount: 10_000_000n })
  await look()
  expect(sent).toBe(3)
})
