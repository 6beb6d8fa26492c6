import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Applied } from '../../../../../src/payments/channels/converge/apply.ts'
import { authoritySigner, channelSigner } from '../../../../../src/payments/channels/derive.ts'
import { putChannels } from '../../../../../src/payments/store/channels/channel.ts'
import { markRetired } from '../../../../../src/payments/store/channels/retire.ts'
import { type FencedWrite, fencedWrites } from '../../../../../src/payments/store/pools/fence.ts'
import { addDrainingChannels } from '../../../../../src/payments/store/pools/pool-channels.ts'
import { listAuthorities } from '../../../../../src/payments/store/upto/authorities.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { transactionsAfter } from '../../../../support/ledger-view.ts'
import { openPoolWorld, type PoolWorld } from './pool-world.ts'

const network = 'stellar:testnet'
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)
const kinds = (done: readonly Applied[]) => done.map(({ kind }) => kind)

let world: PoolWorld
beforeEach(async () => {
  world = await openPoolWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

const sponsorState = async () =>
  (await world.rpc.accounts([world.sponsor.address])).get(world.sponsor.address)
const hasAuthority = async () => {
  const { address } = authoritySigner(world.sponsor.secret, network)
  return (await world.rpc.accounts([address])).size === 1
}
const onLedger = async (among = 40) => {
  const addresses = upTo(among).map(
    (index) => channelSigner(world.sponsor.secret, network, index).address,
  )
  const found = await world.rpc.accounts(addresses)
  return upTo(among).filter((index) => found.has(addresses[index] ?? ''))
}

test('creates 25 channels in two transactions, and changes nothing afterwards', async () => {
  const before = world.localnet.network.latest.sequence
  expect(await world.converge(25)).toMatchObject([
    { kind: 'created', count: 17, authorities: 1 },
    { kind: 'storeChanged' },
    { kind: 'created', count: 8, authorities: 0 },
    { kind: 'storeChanged' },
  ])
  expect(await world.active()).toEqual(upTo(25))
  expect(await onLedger()).toEqual(upTo(25))
  expect(await sponsorState()).toMatchObject({ sponsoring: 52 })
  expect(transactionsAfter(world.localnet.network, before)).toHaveLength(2)
  expect(await world.converge(25)).toMatchObject([])
})

test('shrinks to the lowest indices, and the sponsor gets every reserve back', async () => {
  await world.converge(25)
  expect(kinds(await world.converge(3))).toEqual([
    'storeChanged',
    'merged',
    'storeChanged',
    'merged',
    'storeChanged',
  ])
  expect(await world.active()).toEqual([0, 1, 2])
  expect(await onLedger()).toEqual([0, 1, 2])
  expect(await sponsorState()).toMatchObject({ sponsoring: 8 })
  expect(await hasAuthority()).toBe(true)
  const done = (await world.converge(0)).filter(({ kind }) => kind === 'merged')
  expect(done).toMatchObject([
    { count: 3, authorities: 0 },
    { count: 0, authorities: 1 },
  ])
  expect(await hasAuthority()).toBe(false)
  expect(await onLedger()).toEqual([])
  expect(await sponsorState()).toMatchObject({ sponsoring: 0 })
})

test('notifies the replicas when new channels can be leased', async () => {
  const notified: (string | undefined)[] = []
  const listener = world.store.listenForFreedChannels({
    clock: systemClock,
    onFreed: (freed) => notified.push(freed),
    onError: (error) => notified.push(String(error)),
  })
  await expect.poll(() => notified, { timeout: 120_000 }).toEqual([undefined])
  await world.converge(2)
  await expect.poll(() => notified, { timeout: 120_000 }).toContain(network)
  await listener[Symbol.asyncDispose]()
})

test('uses a channel as source to grow and to shrink, so that it need not wait for settlements', async () => {
  await world.converge(2)
  const sequence = (await sponsorState())?.sequence
  await world.converge(4)
  await world.converge(1)
  expect(await onLedger()).toEqual([0])
  expect(await sponsorState()).toMatchObject({ sequence, sponsoring: 4 })
})

test('grows again and reuses accounts', async () => {
  await world.converge(3)
  await world.converge(1)
  await world.converge(4)
  expect(await world.active()).toEqual(upTo(4))
  expect(await onLedger()).toEqual(upTo(4))
})

test('adopts the channels of a lost store, and merges surplus ones', async () => {
  await world.converge(22)
  const successor = await world.withEmptyStore()
  const before = world.localnet.network.latest.sequence
  await successor.converge(20)
  expect(await successor.active()).toEqual(upTo(20))
  expect(await onLedger()).toEqual(upTo(20))
  // One marks the sponsor with the new store, one merges.
  expect(transactionsAfter(world.localnet.network, before)).toHaveLength(2)
  await successor.store.close()
})

test('quarantines a channel with a stuck sequence number, replaces it, and creates it again', async () => {
  await world.converge(5)
  const channels = world.store.db.updateTable('channels')
  await channels.set({ misses: 3 }).where('index', '=', 1).execute()

  await world.pass(5)
  expect(await world.active()).toEqual([0, 2, 3, 4])
  await world.pass(5)
  await world.pass(5)
  expect(await world.active()).toEqual([0, 2, 3, 4, 5])
  await world.converge(5)
  expect(await world.active()).toEqual(upTo(5))
  expect(await onLedger()).toEqual(upTo(5))
  expect(await sponsorState()).toMatchObject({ sponsoring: 12 })
  const rows = await world.store.db.selectFrom('channels').select('misses').execute()
  expect(new Set(rows.map(({ misses }) => misses))).toEqual(new Set([0]))
})

describe('the successor of a crashed leader', () => {
  const crash = new Error('the process crashed')
  /** Fails instead of running this query. */
  const crashing = (failing: unknown): FencedWrite => {
    const write = fencedWrites(world.store.db, { name: 'x402/operator', epoch: 1n })
    return (query, ...args) => (query === failing ? Promise.reject(crash) : write(query, ...args))
  }

  test.each([
    { when: 'before the store had the accounts to create', query: addDrainingChannels },
    { when: 'after the ledger created them, before the store knew', query: putChannels },
  ])('crashed $when: one account for each index', async ({ query }) => {
    const write = crashing(query)
    await expect(world.converge(3, { write })).rejects.toBe(crash)
    await world.converge(3)
    expect(await world.active()).toEqual([0, 1, 2])
    expect(await sponsorState()).toMatchObject({ sponsoring: 8 })
  })

  test('crashed after it created more than is desired now: no account is left over', async () => {
    await expect(world.converge(5, { write: crashing(putChannels) })).rejects.toBe(crash)
    await world.converge(2)
    expect(await onLedger()).toEqual([0, 1])
    expect(await sponsorState()).toMatchObject({ sponsoring: 6 })
  })

  test('crashed after it merged, before the store knew: the channels are retired', async () => {
    await world.converge(4)
    await expect(world.converge(1, { write: crashing(markRetired) })).rejects.toBe(crash)
    await world.converge(1)
    expect(await world.active()).toEqual([0])
    expect(await sponsorState()).toMatchObject({ sponsoring: 4 })
  })
})

test('signs nothing without leadership for the validity of a transaction', async () => {
  const requestedSeconds: number[] = []
  const deposed = new Error('another operator leads')
  const before = world.localnet.network.latest.sequence
  const assertLasts = (seconds: number) => {
    requestedSeconds.push(seconds)
    throw deposed
  }
  await expect(world.converge(3, { tenure: { validitySeconds: 17, assertLasts } })).rejects.toBe(
    deposed,
  )
  expect(requestedSeconds).toEqual([17])
  await world.localnet.closeLedger()
  expect(transactionsAfter(world.localnet.network, before)).toEqual([])
})

test('says what a sponsor lacks that cannot pay', async () => {
  await using poor = await openPoolWorld(4n)
  // One XLM is locked already, the mark locks half of one, and each account costs one and a fee.
  expect(await poor.pass(10)).toMatchObject({ kind: 'created', count: 1, authorities: 1 })
  expect(await poor.pass(10)).toEqual({ kind: 'storeChanged' })
  expect(await poor.pass(10)).toEqual({
    kind: 'short',
    message: expect.stringMatching(/9 channels cost 9\.1 XLM.*: send 8\.\d XLM to G\w{55}$/),
  })
})

test('a sponsor that can pay for one account creates a channel, and the authority once it has more', async () => {
  await using poor = await openPoolWorld(2n)
  await poor.localnet.pay({ address: poor.sponsor.address, asset: 'XLM', amount: 6_000_000n })
  expect(await poor.pass(1)).toMatchObject({ kind: 'created', count: 1, authorities: 0 })
  expect(await poor.pass(1)).toEqual({ kind: 'storeChanged' })
  expect(await poor.pass(1)).toEqual({
    kind: 'short',
    message: expect.stringContaining('1 settlement authority costs 1.1 XLM'),
  })
  await poor.localnet.pay({ address: poor.sponsor.address, asset: 'XLM', amount: 10_000_000n })
  expect(await poor.pass(1)).toMatchObject({ kind: 'created', count: 0, authorities: 1 })
  expect(await poor.pass(1)).toEqual({ kind: 'unchanged' })
  expect(await listAuthorities(poor.store.db, network)).toMatchObject([
    { sponsor: poor.sponsor.address },
  ])
})
