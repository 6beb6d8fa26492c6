import { describe, expect, vi } from 'vitest'
import { sponsorsOwnedBy } from '../../../../../../src/payments/store/pools/ownership.ts'
import { test } from '../../../../support/cluster-test.ts'
import { condition, isReady } from '../pool-world.ts'
import { poolWorlds } from '../pool-worlds.ts'
import {
  addSponsor,
  firstSponsor,
  hasEnded,
  inPhase,
  nameSponsor,
  onLedgerOf,
  rotationNotes,
  rotationPatience,
  secretMeta,
  serve,
  stopServing,
  stroopsOf,
} from './rotation-world.ts'

const SPONSOR_FINALIZER = 'x402.svc.dev/sponsor'
const soon = { timeout: 120_000, interval: 50 }
const worldOf = poolWorlds({ moved: {}, same: {} })

describe('a ChannelPool whose spec names another Secret', () => {
  test('moves to its sponsor by itself, and not a stroop is left behind', async ({ cluster }) => {
    const world = await worldOf(cluster, 'moved')
    const old = firstSponsor(world)
    const next = await addSponsor(world, 'next-sponsor', 100n)
    await world.apply({ channels: 3 })
    const before = await world.until(isReady, undefined, rotationPatience)
    expect(before.status?.sponsor?.source?.secretRef).toEqual({
      name: 'testnet-sponsor',
      key: 'secret',
    })
    const stroops = await stroopsOf(world, [old, next])
    await serve(world, old.address)

    await nameSponsor(world, next.name)
    const moving = await world.until(inPhase('Moving'), undefined, rotationPatience)
    expect(moving.status).toMatchObject({
      sponsor: { address: next.address, source: { secretRef: { name: next.name } } },
      rotation: { serving: 'To', holdsSecrets: true, channelsMoved: '3/3' },
    })
    await world.until((pool) => {
      expect(pool?.status?.rotation?.message).toContain('pod-1 still serves')
      expect(condition(pool, 'Ready')?.status).toBe('True')
      expect(condition(pool, 'Progressing')).toMatchObject({ status: 'True', reason: 'Rotating' })
    })
    expect((await onLedgerOf(world, old)).channels).toEqual([0, 1, 2])
    expect((await onLedgerOf(world, next)).channels).toEqual([0, 1, 2])
    for (const { name } of [old, next]) {
      expect((await secretMeta(world, name))?.finalizers).toEqual([SPONSOR_FINALIZER])
    }
    // Nothing but the finalizer keeps it now.
    await cluster.kubectl(['-n', world.namespace, 'delete', 'secret', old.name, '--wait=false'])

    await stopServing(world)
    const done = await world.until(hasEnded('Done'), undefined, rotationPatience)
    const { sweptXlm, transaction } = done.status?.rotation ?? {}
    expect(sweptXlm).toMatch(/^9/)
    expect(transaction).toMatch(/^[0-9a-f]{64}$/)
    await world.until(isReady, undefined, rotationPatience)
    expect(await onLedgerOf(world, old)).toEqual({ channels: [], authority: false })
    expect(await onLedgerOf(world, next)).toMatchObject({
      channels: [0, 1, 2],
      authority: true,
      sponsoring: 8,
    })
    expect(await stroopsOf(world, [old, next])).toBe(stroops)
    await vi.waitFor(async () => expect(await secretMeta(world, old.name)).toBeUndefined(), soon)
    expect((await secretMeta(world, next.name))?.finalizers).toBeUndefined()
    const { uid } = done.metadata
    expect((await sponsorsOwnedBy(world.store.db, uid)).map(({ sponsor }) => sponsor)).toEqual([
      next.address,
    ])
    const phases = (await rotationNotes(world)).map((note) => note.split(':')[0])
    expect(phases).toEqual(['Checking', 'Provisioning', 'Moving', 'Retiring', 'Sweeping', 'Done'])
  })

  test('counts another Secret of the same seed from now on, and a new sponsor of an empty pool', async ({
    cluster,
  }) => {
    const world = await worldOf(cluster, 'same')
    await world.apply({ channels: 1 })
    await world.until(isReady, undefined, rotationPatience)
    await world.secret('same-sponsor', { secret: world.sponsor.secret })
    await nameSponsor(world, 'same-sponsor')
    const same = await world.until(
      (pool) => expect(pool?.status?.sponsor?.source?.secretRef?.name).toBe('same-sponsor'),
      undefined,
      rotationPatience,
    )
    expect(same.status?.rotation).toBeUndefined()

    await world.patch({ spec: { channels: 0 } })
    await world.until(
      (pool) => expect(pool?.status?.channels?.accounts).toBe(0),
      undefined,
      rotationPatience,
    )
    const next = await addSponsor(world, 'next-sponsor', 50n)
    await nameSponsor(world, next.name, { channels: 2 })
    await world.until(
      (pool) => {
        isReady(pool)
        expect(pool?.status).toMatchObject({
          sponsor: { address: next.address },
          channels: { ready: 2 },
        })
        expect(pool?.status?.rotation).toBeUndefined()
      },
      undefined,
      rotationPatience,
    )
    expect(await onLedgerOf(world, firstSponsor(world))).toMatchObject({ channels: [] })
  })
})
