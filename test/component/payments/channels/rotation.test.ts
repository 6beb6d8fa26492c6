import { afterAll, beforeAll, expect, test } from 'vitest'
import { authoritySigner } from '../../../../src/payments/channels/derive.ts'
import type { RotationState } from '../../../../src/payments/channels/rotation/phases.ts'
import { checkRotation, rotate } from '../../../../src/payments/channels/rotation/rotate.ts'
import { readRotation } from '../../../../src/payments/channels/rotation/view.ts'
import { RotationWork } from '../../../../src/payments/channels/rotation/work.ts'
import { claimSponsor } from '../../../../src/payments/store/pools/ownership.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { claimRequest, fence } from '../store/builders.ts'
import {
  CHANNELS,
  expectRotated,
  network,
  newSponsor,
  openRotationWorld,
  type RotationWorld,
  XLM,
} from './rotation-world.ts'

let world: RotationWorld
beforeAll(async () => {
  world = await openRotationWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const inRetiring: RotationState = {
  phase: 'Retiring',
  mode: 'Planned',
  step: 6,
  aborting: false,
  serving: 'To',
  holdsSecrets: false,
  channelsMoved: `${CHANNELS}/${CHANNELS}`,
  since: '2026-01-01T00:00:00Z',
  message: '',
  blocked: false,
}

const said = (sentences: readonly string[], pattern: RegExp) =>
  expect.poll(() => sentences, { timeout: 240_000 }).toContainEqual(expect.stringMatching(pattern))

test('waits for replicas and settlements, merges the old sponsor into the new one, and loses no stroop', {
  timeout: 240_000,
}, async () => {
  const [from, to] = await world.pair()
  const since = world.localnet.network.latest.sequence
  const before = await world.total(since, from, to)
  await world.serves('pod-a/1', from)
  await world.serves('pod-b/1', from)
  const held = await claimWithChannel(
    world.store.db,
    claimRequest('1', { sponsor: from.address, claimTtlMs: 60_000 }),
  )
  expect(held.kind).toBe('claimed')
  const sentences: string[] = []
  const rotating = rotate(world.options(from, to, { say: (each) => void sentences.push(each) }))
  await said(sentences, /^pod-[ab], pod-[ab] still serve the other sponsor/)
  expect(await world.seen(to)).toEqual({ exists: true, onLedger: CHANNELS, states: ['active'] })
  await world.serves('pod-a/2', to)
  await world.serves('pod-a/1', undefined)
  await said(sentences, /^pod-b still serves the other sponsor/)
  expect(await world.seen(from)).toMatchObject({ onLedger: CHANNELS, states: ['active'] })
  await world.serves('pod-b/1', to)
  await said(sentences, /settlements still use 1 channel/)
  expect(await world.seen(from)).toMatchObject({ onLedger: CHANNELS, states: ['draining'] })
  await releaseClaim(world.store.db, fence('1'))

  expect(await rotating).toMatchObject({
    created: CHANNELS,
    merged: CHANNELS,
    gone: 0,
    lost: 0n,
    left: undefined,
  })
  await expectRotated(world, from, to)
  expect(await world.total(since, from, to)).toBe(before)
  // Again: everything is done, and nothing is sent.
  const { sequence } = world.localnet.network.latest
  expect(await rotate(world.options(from, to))).toMatchObject({ created: 0, merged: 0, swept: 0n })
  expect(world.localnet.network.latest.sequence).toBe(sequence)
})

test('takes no channel from a replica that serves the old sponsor again', async () => {
  const [from, to] = await world.pair()
  await world.serves('pod-a/1', to)
  await world.serves('pod-b/1', from)
  const options = world.options(from, to)
  const work = new RotationWork(options)
  const draining = work.advance(inRetiring, await readRotation(options))
  await expect(draining).rejects.toThrow(
    /^pod-b serves the old sponsor \w+ again: give it the seed/,
  )
  expect(await world.seen(from)).toMatchObject({ onLedger: CHANNELS, states: ['active'] })
})

test('two at once do the work of one', { timeout: 240_000 }, async () => {
  const [from, to] = await world.pair()
  const since = world.localnet.network.latest.sequence
  const before = await world.total(since, from, to)
  await world.serves('pod-a/1', to)
  await Promise.all([rotate(world.options(from, to)), rotate(world.options(from, to))])
  await expectRotated(world, from, to)
  expect(await world.total(since, from, to)).toBe(before)
})

test('goes back while no channel is merged: the other way round', {
  timeout: 240_000,
}, async () => {
  const [from, to] = await world.pair()
  await world.serves('pod-a/1', from)
  const stop = new AbortController()
  const say = (sentence: string) => {
    if (/still serves/.test(sentence)) stop.abort(new Error('stopped'))
  }
  await expect(rotate(world.options(from, to, { say, signal: stop.signal }))).rejects.toThrow(
    'stopped',
  )
  expect(await rotate(world.options(to, from))).toMatchObject({ created: 0, merged: CHANNELS })
  await expectRotated(world, to, from)
})

test('where upto is served, the authority of the old sponsor stays, at the expense of the new one', {
  timeout: 240_000,
}, async () => {
  const [from, to] = await world.pair(true)
  const since = world.localnet.network.latest.sequence
  const before = await world.total(since, from, to)
  await world.serves('pod-a/1', to)
  const authority = authoritySigner(from.secret, network).address
  const done = await rotate(world.options(from, to, { servesUpto: true }))
  expect(done).toMatchObject({ keptAuthority: authority, left: undefined })
  await expectRotated(world, from, to)
  const accounts = await world.rpc.accounts([authority, to.address])
  expect(accounts.get(authority)).toMatchObject({ balance: 0n, sponsored: 2 })
  // Its channels, its authority and that of the old sponsor, two entries each.
  expect(accounts.get(to.address)).toMatchObject({ sponsoring: 2 * (CHANNELS + 2) })
  expect(await world.total(since, from, to)).toBe(before)
})

test.each(['payment', 'none'] as const)(
  'sweep %s leaves the account of the old sponsor',
  {
    timeout: 240_000,
  },
  async (sweep) => {
    const [from, to] = await world.pair()
    const since = world.localnet.network.latest.sequence
    const before = await world.total(since, from, to)
    await world.serves('pod-a/1', to)
    const done = await rotate(world.options(from, to, { sweep }))
    expect(await world.seen(from)).toEqual({ exists: true, onLedger: 0, states: ['retired'] })
    if (sweep === 'payment') expect(done).toMatchObject({ left: XLM })
    else expect(done).toMatchObject({ swept: 0n })
    expect(await world.total(since, from, to)).toBe(before)
  },
)

test('refuses with a reason, and changes nothing', { timeout: 240_000 }, async () => {
  const [from, to] = await world.pair()
  const missing = newSponsor()
  const poor = newSponsor()
  await world.localnet.pay({ address: poor.address, asset: 'XLM', amount: 3n * XLM })
  const cases = [
    { from, to: from, says: /are the same/ },
    { from, to: missing, says: /does not exist on stellar:testnet: send it XLM/ },
    {
      from: missing,
      to,
      says: /has no channels on stellar:testnet, and the database has those of/,
    },
    { from, to: poor, says: /3 channels cost 3\.1 XLM.* must be left/ },
  ]
  for (const each of cases) {
    const options = world.options(each.from, each.to)
    await expect(rotate(options)).rejects.toThrow(each.says)
  }
  const pool = { network, sponsor: to.address, uid: 'p', name: 'shop/pool' } as const
  await world.store.db
    .transaction()
    .execute((transaction) => claimSponsor(transaction, pool, 'shop/operator'))
  const options = world.options(from, to)
  await expect(checkRotation(options, await readRotation(options))).rejects.toThrow(
    /managed by the operator, as ChannelPool shop\/pool/,
  )
  await world.store.db.deleteFrom('pools').execute()
  expect(await world.seen(from)).toMatchObject({ onLedger: CHANNELS, states: ['active'] })
  expect(await world.seen(to)).toMatchObject({ onLedger: 0, states: [] })
})
