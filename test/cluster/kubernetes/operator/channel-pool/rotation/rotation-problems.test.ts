import { describe, expect } from 'vitest'
import { channelSeed } from '../../../../../../src/payments/channels/derive.ts'
import { secretOfSeed, seedOfSecret } from '../../../../../../src/stellar/accounts/signer.ts'
import { test } from '../../../../support/cluster-test.ts'
import { condition, isReady } from '../pool-world.ts'
import { poolWorlds } from '../pool-worlds.ts'
import {
  addSponsor,
  firstSponsor,
  fund,
  hasEnded,
  inPhase,
  isBlockedBy,
  nameSponsor,
  onLedgerOf,
  rotationPatience,
  secretMeta,
  serve,
  stopServing,
  stroopsOf,
} from './rotation-world.ts'

const late = [undefined, rotationPatience] as const
const worldOf = poolWorlds({ waiting: {}, back: {}, third: {}, Retire: {}, Retain: {} })
const limits = { timeout: 300_000 }

describe.concurrent('a new sponsor that the pool cannot move to', limits, () => {
  test('is waited for, whatever is wrong with it, while the old one serves', async ({
    cluster,
  }) => {
    const world = await worldOf(cluster, 'waiting')
    const old = firstSponsor(world)
    await world.apply({ channels: 2 })
    await world.until(isReady, ...late)

    await nameSponsor(world, 'next-sponsor')
    const missing = await world.until(isBlockedBy(/There is no Secret next-sponsor/), ...late)
    expect(missing.status?.rotation?.phase).toBe('Checking')
    expect(condition(missing, 'Ready')).toMatchObject({ status: 'True', reason: 'ChannelsReady' })
    for (const type of ['Degraded', 'Stalled']) {
      expect(condition(missing, type)).toMatchObject({ status: 'True', reason: 'RotationBlocked' })
    }
    await world.secret('next-sponsor', { secret: 'not a seed' })
    await world.until(isBlockedBy(/holds no seed/), ...late)
    const channel = secretOfSeed(channelSeed(seedOfSecret(old.secret), 'stellar:testnet', 0))
    await world.secret('next-sponsor', { secret: channel })
    await world.until(isBlockedBy(/is a channel in this database.*new key pair/), ...late)
    const next = await addSponsor(world, 'next-sponsor', 0n)
    await world.until(isBlockedBy(`${next.address} does not exist`), ...late)
    await fund(world, next.address, 5n)
    await world.until(isBlockedBy(/The new sponsor has too little/), ...late)
    const taken = await addSponsor(world, 'taken-sponsor', 60n)
    await world.apply({ channels: 1, sponsor: { secretRef: { name: taken.name } } }, 'other')
    await world.until(isReady, 'other', rotationPatience)
    await world.secret('next-sponsor', { secret: taken.secret })
    await world.until(isBlockedBy(/ChannelPool .*other already manages/), ...late)
    // Nothing was done for any of them.
    expect((await onLedgerOf(world, next)).channels).toEqual([])
    expect((await secretMeta(world, 'next-sponsor'))?.finalizers).toBeUndefined()
    expect((await onLedgerOf(world, old)).channels).toEqual([0, 1])

    // What it leaves on the ledger is taken over.
    await world.delete('other')
    const done = await world.until(hasEnded('Done'), ...late)
    expect(done.status?.sponsor?.address).toBe(taken.address)
    await world.until(isReady, ...late)
    expect(await onLedgerOf(world, taken)).toMatchObject({ channels: [0, 1], sponsoring: 6 })
    expect(await onLedgerOf(world, old)).toEqual({ channels: [], authority: false })
  })
})

describe.concurrent('a rotation under way', limits, () => {
  test('ends at the old sponsor when the spec names it again, before and after pods have moved', async ({
    cluster,
  }) => {
    const world = await worldOf(cluster, 'back')
    const old = firstSponsor(world)
    const next = await addSponsor(world, 'next-sponsor', 3n)
    await world.apply({ channels: 2 })
    await world.until(isReady, ...late)
    await nameSponsor(world, next.name)
    await world.until(isBlockedBy(/too little/), ...late)
    await nameSponsor(world, old.name)
    await world.until(hasEnded('Aborted'), ...late)
    await world.until(isReady, ...late)

    await fund(world, next.address, 60n)
    const stroops = await stroopsOf(world, [old, next])
    await serve(world, old.address)
    await nameSponsor(world, next.name)
    await world.until(inPhase('Moving'), ...late)
    await nameSponsor(world, old.name)
    const aborted = await world.until(
      (pool) => {
        hasEnded('Aborted')(pool)
        isReady(pool)
      },
      ...late,
    )
    expect(aborted.status?.sponsor).toMatchObject({
      address: old.address,
      source: { secretRef: { name: old.name } },
    })
    expect(await onLedgerOf(world, old)).toMatchObject({ channels: [0, 1], sponsoring: 6 })
    // Its funds stay with the new one: the administrator may try again.
    expect(await onLedgerOf(world, next)).toMatchObject({
      channels: [],
      authority: false,
      sponsoring: 0,
    })
    expect(await stroopsOf(world, [old, next])).toBe(stroops)
    expect((await secretMeta(world, next.name))?.finalizers).toBeUndefined()
  })

  test('goes back first when the spec names a third Secret, and ends first once it retires', async ({
    cluster,
  }) => {
    const world = await worldOf(cluster, 'third')
    const old = firstSponsor(world)
    const second = await addSponsor(world, 'second-sponsor', 60n)
    const third = await addSponsor(world, 'third-sponsor', 60n)
    await world.apply({ channels: 2 })
    await world.until(isReady, ...late)
    const stroops = await stroopsOf(world, [old, second, third])
    await serve(world, old.address)
    await nameSponsor(world, second.name)
    await world.until(inPhase('Moving'), ...late)
    await nameSponsor(world, third.name)
    // The second one's channels are merged before those of the third are made; then the same replica is waited for.
    const moving = await world.until(
      (pool) => {
        inPhase('Moving')(pool)
        expect(pool?.status?.rotation?.to.source.secretRef?.name).toBe(third.name)
      },
      ...late,
    )
    expect(moving.status?.rotation?.from.source.secretRef?.name).toBe(old.name)
    expect(await onLedgerOf(world, second)).toMatchObject({ channels: [], sponsoring: 0 })

    // A lease of the old sponsor that lasts long.
    const channel = { lease_expires_at: new Date(Date.now() + 3_600_000), lease_owner: 'test' }
    const held = () =>
      world.store.db
        .updateTable('channels')
        .where('sponsor', '=', old.address)
        .where('index', '=', 0)
    await held()
      .set(channel as never)
      .execute()
    await stopServing(world)
    await world.until(inPhase('Retiring'), ...late)
    await nameSponsor(world, second.name)
    const waiting = await world.until(
      (pool) => {
        expect(pool?.status?.observedGeneration).toBe(pool?.metadata.generation)
        expect(pool?.status?.rotation?.message).toMatch(/lease 1 channel, until/)
      },
      ...late,
    )
    expect(waiting.status?.rotation).toMatchObject({
      phase: 'Retiring',
      to: { source: { secretRef: { name: third.name } } },
    })
    await held()
      .set({ lease_expires_at: null, lease_owner: null } as never)
      .execute()
    const done = await world.until(
      (pool) => {
        hasEnded('Done')(pool)
        expect(pool?.status?.sponsor?.source?.secretRef?.name).toBe(second.name)
        isReady(pool)
      },
      ...late,
    )
    expect(done.status?.rotation?.from.source.secretRef?.name).toBe(third.name)
    expect(await stroopsOf(world, [old, second, third])).toBe(stroops)
    expect(await onLedgerOf(world, second)).toMatchObject({ channels: [0, 1], sponsoring: 6 })
  })

  for (const deletionPolicy of ['Retire', 'Retain'] as const) {
    test(`leaves nothing held when the pool is deleted with the policy ${deletionPolicy}`, async ({
      cluster,
    }) => {
      const world = await worldOf(cluster, deletionPolicy)
      const old = firstSponsor(world)
      const next = await addSponsor(world, 'next-sponsor', 60n)
      await world.apply({ channels: 2, deletionPolicy })
      await world.until(isReady, ...late)
      const stroops = await stroopsOf(world, [old, next])
      await serve(world, old.address)
      await nameSponsor(world, next.name)
      const moving = await world.until(inPhase('Moving'), ...late)
      await world.until(isReady, ...late)
      expect(moving.metadata.finalizers).toEqual(['x402.svc.dev/cleanup'])
      await world.delete()
      await world.until((pool) => expect(pool).toBeUndefined(), ...late)
      for (const sponsor of [old, next]) {
        expect((await secretMeta(world, sponsor.name))?.finalizers).toBeUndefined()
        expect((await onLedgerOf(world, sponsor)).channels).toEqual(
          deletionPolicy === 'Retire' ? [] : [0, 1],
        )
      }
      expect(await stroopsOf(world, [old, next])).toBe(stroops)
    })
  }
})
