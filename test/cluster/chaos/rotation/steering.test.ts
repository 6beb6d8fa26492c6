import { expect } from 'vitest'
import type { Json } from '../../../support/api/manifests.ts'
import { atWrite } from '../../../support/write-gate.ts'
import { isReady } from '../../kubernetes/operator/channel-pool/pool-world.ts'
import {
  hasEnded,
  onLedgerOf,
  secretMeta,
} from '../../kubernetes/operator/channel-pool/rotation/rotation-world.ts'
import { test } from '../../support/cluster-test.ts'
import { isFull, logDuration } from '../support/pace.ts'
import type { GatedPool } from './support/gated-pool.ts'
import {
  expectAlone,
  expectDone,
  limits,
  openRotationWorld,
  patience,
  type RotationWorld,
  rotate,
} from './support/rotation-world.ts'
import { serveUpto, stopServing, uptoPhases } from './support/upto.ts'

/** What an administrator does while a rotation is in a phase. */
interface Action {
  readonly name: string
  readonly phases: readonly string[]
  /** Of the pool, before. */
  readonly spec?: Json
  /** The next phase, as written after the action. */
  readonly leadsTo?: (phase: string) => string
  act(world: RotationWorld, pool: GatedPool): Promise<void>
  /** Waits for the end, and expects what has to be there then. */
  expectEnd(world: RotationWorld, pool: GatedPool, phase: string): Promise<void>
}

const untilRetiring = uptoPhases.filter((phase) => phase !== 'Retiring' && phase !== 'Sweeping')
const pods = new Set(['Moving', 'Expiring', 'Unmounting'])
/** Where pods may serve the new sponsor they come back first. */
const wayBack = (phase: string): string => {
  if (phase === 'Checking') return 'Aborted back'
  return pods.has(phase) ? 'Moving back' : 'Unmounting back'
}

const deletion = (deletionPolicy: 'Retire' | 'Retain'): Action => ({
  name: deletionPolicy.toLowerCase(),
  spec: { deletionPolicy },
  phases: isFull ? uptoPhases : ['Provisioning', 'Retiring'],
  act: async (world, pool) => {
    await world.delete(pool.name)
    if (isFull) await stopServing(world, pool)
  },
  expectEnd: async (world, { name, old, next }, phase) => {
    await world.until((pool) => expect(pool).toBeUndefined(), name, patience)
    for (const sponsor of [old, next]) {
      expect((await secretMeta(world, sponsor.name))?.finalizers, sponsor.name).toBeUndefined()
      if (deletionPolicy === 'Retire') {
        expect((await onLedgerOf(world, sponsor)).channels, sponsor.name).toEqual([])
      }
    }
    if (deletionPolicy === 'Retain' && phase !== 'Retiring' && phase !== 'Sweeping') {
      expect((await onLedgerOf(world, old)).channels, old.name).toEqual([0, 1])
    }
  },
})

const actions: readonly Action[] = [
  {
    name: 'back',
    phases: isFull ? untilRetiring : ['Provisioning'],
    leadsTo: wayBack,
    act: (world, { name, old }) =>
      world.patch({ spec: { sponsor: { secretRef: { name: old.name } } } }, name),
    expectEnd: async (world, pool) => {
      await world.until(
        (seen) => {
          hasEnded('Aborted')(seen)
          isReady(seen)
        },
        pool.name,
        patience,
      )
      await expectAlone(world, pool, pool.old)
    },
  },
  {
    name: 'hurry',
    phases: isFull ? untilRetiring : ['Provisioning', 'Moving'],
    leadsTo: (phase) => (phase === 'Checking' ? 'Checking' : 'Rescuing'),
    act: (world, pool) => rotate(world, pool, 'Emergency'),
    expectEnd: async (world, pool) => {
      await expectDone(world, pool)
      const { rotation } = (await world.get(pool.name))?.status ?? {}
      expect(rotation).toMatchObject({ mode: 'Emergency' })
    },
  },
  {
    name: 'third',
    phases: isFull ? uptoPhases : ['Checking', 'Provisioning', 'Sweeping'],
    act: (world, { name, third }) =>
      world.patch({ spec: { sponsor: { secretRef: { name: third.name } } } }, name),
    expectEnd: async (world, pool) => {
      const { name } = pool.third
      const done = await world.until(
        (seen) => {
          hasEnded('Done')(seen)
          isReady(seen)
          expect(seen?.status?.sponsor?.source?.secretRef).toMatchObject({ name })
        },
        pool.name,
        patience,
      )
      expect(done.status?.sponsor?.address).toBe(pool.third.address)
      await expectAlone(world, pool, pool.third)
    },
  },
  deletion('Retire'),
  deletion('Retain'),
]

/** Acts after the phase was written and before the next pass. */
async function actIn(
  world: RotationWorld,
  pool: GatedPool,
  { act, leadsTo }: Action,
  phase: string,
): Promise<void> {
  const { gate, name } = pool
  gate.set(atWrite(new RegExp(`channelpools/status ${phase}$`), 'after'))
  await rotate(world, pool)
  await world.until(
    () => expect(gate.stoppedAt, gate.writes.join('\n')).toBeDefined(),
    name,
    patience,
  )
  const written = gate.writes.length
  const watched = world.watchedBytes()
  await act(world, pool)
  await world.until(() => expect(world.watchedBytes()).toBeGreaterThan(watched), name, patience)
  gate.open()
  if (leadsTo) {
    await world.until(
      () => {
        const next = gate.writes
          .slice(written)
          .find((what) => what.startsWith('api: channelpools/status'))
        expect(next, name).toBe(`api: channelpools/status ${leadsTo(phase)}`)
      },
      name,
      patience,
    )
  }
}

/** In `make test` all of them beside each other; each phase of an action takes a pool, and an operator works on 16 at once. */
const rounds = isFull ? actions.map((action) => [action]) : [actions]

for (const round of rounds) {
  const names = round.map(({ name }) => name).join(', ')
  test(
    `a rotation ends as it has to when an administrator acts: ${names}`,
    limits,
    async ({ cluster }) => {
      await using world = await openRotationWorld(cluster)
      const cases = round.flatMap((action) => action.phases.map((phase) => ({ action, phase })))
      const pools = await world.pools(
        cases.map(({ action, phase }) => `${action.name}-${phase.toLowerCase()}`),
        (at) => cases[at]?.action.spec,
      )
      if (isFull) await serveUpto(world, pools)
      const stroops = await world.stroops()
      const startedAt = performance.now()
      await Promise.all(
        pools.map(async (pool, at) => {
          const { action, phase } = cases[at] ?? { phase: '' }
          if (!action) return
          await actIn(world, pool, action, phase)
          await action.expectEnd(world, pool, phase)
        }),
      )
      logDuration(`rotation: ${names} in each phase: all have ended`, performance.now() - startedAt)
      expect(await world.stroops()).toBe(stroops)
    },
  )
}
