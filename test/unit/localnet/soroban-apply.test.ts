/** Contract calls over several ledgers. What one call does is in the table. */
import type { Keypair } from '@stellar/stellar-sdk'
import { beforeEach, expect, it } from 'vitest'
import type { Localnet } from '../../../src/localnet/network.ts'
import { account, apply, build, bytesOf, fund, key, openNetwork } from './harness.ts'
import { transferCall } from './soroban-harness.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]
let net: Localnet

beforeEach(async () => {
  net = openNetwork().net
  await fund(net, [alice, bob])
})

const transfer = () => transferCall(net, { from: alice, to: bob, amount: 5n, source: bob })

it('stores a nonce that expires with its signature', async () => {
  const call = await transfer()
  await apply(net, build(net, { source: bob, call }))
  const nonce = call.data.resources.footprint.readWrite.find(
    (it) => it.type === 'contractData' && it.contractData.durability.name === 'temporary',
  )
  if (!nonce) throw new Error('the footprint has no nonce')
  const { liveUntil = 0 } = net.entry(nonce.toXdr()) ?? {}
  while (net.latest.sequence < liveUntil) await net.closeLedger()
  expect(net.entry(nonce.toXdr())).toMatchObject({ liveUntil })
  const { evictedKeys } = await net.closeLedger()
  expect(net.entry(nonce.toXdr())).toBeUndefined()
  expect(evictedKeys.map((key) => Buffer.from(key).toString('base64'))).toEqual([
    nonce.toXdr('base64'),
  ])
})

it('applies to its ledger, while a simulation uses the previous one', async () => {
  net.submit(bytesOf(build(net, { source: bob, call: await transfer() })))
  const before = account(net, bob)
  const closing = net.closeLedger()
  await Promise.resolve()
  expect(account(net, bob)).toEqual(before)
  await closing
  expect(account(net, bob)).not.toEqual(before)
})
