import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { channelSigner } from '../../../src/channels/derive.ts'
import type { Carried } from '../../../src/operator/channel-pool/carry-out.ts'
import { putChannels } from '../../../src/store/channels/channel.ts'
import { markRetired } from '../../../src/store/channels/retire.ts'
import { type FencedWrite, fencedWrites } from '../../../src/store/pools/fence.ts'
import { announceChannels } from '../../../src/store/pools/pool-channels.ts'
import { transactionsAfter } from '../../support/ledger-view.ts'
import { openPoolWorld, type PoolWorld } from './pool-world.ts'

const network = 'stellar:testnet'
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)
const kinds = (done: readonly Carried[]) => done.map(({ kind }) => kind)

let world: PoolWorld
beforeEach(async () => {
  world = await openPoolWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

const sponsorState = async () =>
  (await world.rpc.accounts([world.sponsor.address])).get(world.sponsor.address)
const onLedger = async (among = 40) => {
  const addresses = upTo(among).map(
    (index) => channelSigner(world.sponsor.secret, network, index).address,
  )
  const found = await world.rpc.accounts(addresses)
  return upTo(among).filter((index) => found.has(addresses[index] ?? ''))
}

test('makes 25 channels in two transactions, and nothing more once they are there', async () => {
  const before = world.localnet.network.latest.sequence
  expect(await world.settle(25)).toMatchObject([
    { kind: 'created', count: 19 },
    { kind: 'stored' },
    { kind: 'created', count: 6 },
    { kind: 'stored' },
  ])
  expect(await world.active()).toEqual(upTo(25))
  expect(await onLedger()).toEqual(upTo(25))
  expect(await sponsorState()).toMatchObject({ sponsoring: 50 })
  expect(transactionsAfter(world.localnet.network, before)).toHaveLength(2)
  expect(await world.settle(25)).toMatchObject([])
})

test('shrinks to the lowest, and every reserve comes back to the sponsor', async () => {
  await world.settle(25)
  expect(kinds(await world.settle(3))).toEqual(['stored', 'merged', 'stored', 'merged', 'stored'])
  expect(await world.active()).toEqual([0, 1, 2])
  expect(await onLedger()).toEqual([0, 1, 2])
  expect(await sponsorState()).toMatchObject({ sponsoring: 6 })
  await world.settle(0)
  expect(await onLedger()).toEqual([])
  expect(await sponsorState()).toMatchObject({ sponsoring: 0 })
})

test('grows again over accounts that were there before', async () => {
  await world.settle(3)
  await world.settle(1)
  await world.settle(4)
  expect(await world.active()).toEqual(upTo(4))
  expect(await onLedger()).toEqual(upTo(4))
})

test('adopts the pool of a store that is lost, and takes what is too much of it away', async () => {
  await world.settle(22)
  const heir = await world.forget()
  const before = world.localnet.network.latest.sequence
  await heir.settle(20)
  expect(await heir.active()).toEqual(upTo(20))
  expect(await onLedger()).toEqual(upTo(20))
  expect(transactionsAfter(world.localnet.network, before)).toHaveLength(1)
  await heir.store.close()
})

test('takes a channel out whose number is never taken, stands another in for it, and makes it anew', async () => {
  await world.settle(5)
  const channels = world.store.db.updateTable('channels')
  await channels.set({ misses: 3 }).where('index', '=', 1).execute()

  await world.step(5)
  expect(await world.active()).toEqual([0, 2, 3, 4])
  await world.step(5)
  await world.step(5)
  expect(await world.active()).toEqual([0, 2, 3, 4, 5])
  await world.settle(5)
  expect(await world.active()).toEqual(upTo(5))
  expect(await onLedger()).toEqual(upTo(5))
  expect(await sponsorState()).toMatchObject({ sponsoring: 10 })
  const rows = await world.store.db.selectFrom('channels').select('misses').execute()
  expect(new Set(rows.map(({ misses }) => misses))).toEqual(new Set([0]))
})

describe('whoever comes after a leader that died', () => {
  const crash = new Error('the process is gone')
  /** Dies instead of making this query. */
  const crashing = (step: unknown): FencedWrite => {
    const write = fencedWrites(world.store.db, { name: 'x402/operator', epoch: 1n })
    return (query, ...args) => (query === step ? Promise.reject(crash) : write(query, ...args))
  }

  test.each([
    { when: 'before it remembered what it was about to create', step: announceChannels },
    { when: 'after it created, before the store had it', step: putChannels },
  ])('$when ends with one account an index', async ({ step }) => {
    const write = crashing(step)
    await expect(world.settle(3, { write })).rejects.toBe(crash)
    await world.settle(3)
    expect(await world.active()).toEqual([0, 1, 2])
    expect(await sponsorState()).toMatchObject({ sponsoring: 6 })
  })

  test('when it created more than is wanted now leaves no account behind', async () => {
    await expect(world.settle(5, { write: crashing(putChannels) })).rejects.toBe(crash)
    await world.settle(2)
    expect(await onLedger()).toEqual([0, 1])
    expect(await sponsorState()).toMatchObject({ sponsoring: 4 })
  })

  test('after it merged, before the store had it, finds them gone', async () => {
    await world.settle(4)
    await expect(world.settle(1, { write: crashing(markRetired) })).rejects.toBe(crash)
    await world.settle(1)
    expect(await world.active()).toEqual([0])
    expect(await sponsorState()).toMatchObject({ sponsoring: 2 })
  })
})

test('signs nothing once it may not act any more, and asks for as long as a transaction lives', async () => {
  const asked: number[] = []
  const deposed = new Error('another one leads')
  const before = world.localnet.network.latest.sequence
  const mayAct = (seconds: number) => {
    asked.push(seconds)
    throw deposed
  }
  await expect(world.settle(3, { tenure: { validitySeconds: 17, mayAct } })).rejects.toBe(deposed)
  expect(asked).toEqual([17])
  await world.localnet.closeLedger()
  expect(transactionsAfter(world.localnet.network, before)).toEqual([])
})

test('says what a sponsor lacks that cannot pay', async () => {
  const poor = await openPoolWorld(4n)
  await expect(poor.settle(10)).rejects.toThrow(/could not create 10 channels.*locks 1 XLM/)
  await poor[Symbol.asyncDispose]()
})
