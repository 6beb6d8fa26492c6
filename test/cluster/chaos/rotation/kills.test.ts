import { describe, expect } from 'vitest'
import type { ChannelPool } from '../../../../src/api/channel-pool.ts'
import { test } from '../../support/cluster-test.ts'
import { isFull, logDuration } from '../support/pace.ts'
import {
  beginOf,
  expectDone,
  expectSums,
  limits,
  openRotationWorld,
  patience,
  type RotationWorld,
  rotate,
} from './support/rotation-world.ts'
import { atNumber, atWrite, type Cut, type Side } from './support/write-gate.ts'

type Mode = 'Planned' | 'Emergency'

interface Kill {
  readonly name: string
  readonly mode: Mode
  readonly cut: Cut
}

/** Pools that wait at their writes beside each other; the operator works on 16. */
const AT_ONCE = 14
const sides: readonly Side[] = ['before', 'after']

const bothSides = (name: string, mode: Mode, write: RegExp): readonly Kill[] =>
  sides.map((side) => ({ name: `${name}-${side}`, mode, cut: atWrite(write, side) }))

/** Where a rotation without memory of its own would do something twice, or never. */
const dangerous: readonly Kill[] = [
  ...bothSides('create', 'Planned', /^ledger: .*createAccount/),
  ...bothSides('move', 'Planned', /channelpools\/status Moving/),
  ...bothSides('merge', 'Planned', /^ledger: accountMerge 2/),
  ...bothSides('sweep', 'Planned', /^ledger: accountMerge 1$/),
  ...bothSides('done', 'Planned', /channelpools\/status Done/),
  ...bothSides('rescue', 'Emergency', /^ledger: payment/),
  ...bothSides('rescued', 'Emergency', /channelpools\/status Provisioning/),
]

/** Kills the operator when each pool waits at its write, and expects that the next operator ends every rotation. */
async function play(world: RotationWorld, kills: readonly Kill[]): Promise<readonly string[]> {
  const pools = await world.pools(kills.map(({ name }) => name))
  const stroops = await world.stroops()
  const begins = await Promise.all(pools.map((pool) => beginOf(world, pool)))
  for (const [at, pool] of pools.entries()) {
    pool.gate.set(kills[at]?.cut)
    await rotate(world, pool, kills[at]?.mode)
  }
  const reached: string[] = []
  for (const [at, { name, gate }] of pools.entries()) {
    await world.until(
      (pool) => {
        // Not every rotation has as many writes: a pass that waits may report it, or not.
        if (!hasNothingLeft(pool)) expect(gate.stoppedAt).toBeDefined()
      },
      name,
      patience,
    )
    if (gate.stoppedAt !== undefined) reached.push(`${kills[at]?.cut.side} ${gate.stoppedAt}`)
  }
  await world.kill(pools)
  for (const [at, pool] of pools.entries()) {
    await expectDone(world, pool)
    const begin = begins[at]
    if (begin) await expectSums(world, pool, begin)
  }
  expect(await world.stroops()).toBe(stroops)
  for (const { name } of pools) await world.delete(name)
  return reached
}

/** After the last write of a rotation. */
const hasNothingLeft = (pool: ChannelPool | undefined): boolean =>
  pool?.status?.rotation?.phase === 'Done' &&
  !pool.status.rotation.holdsSecrets &&
  !pool.metadata.finalizers

describe('an operator killed during a rotation', () => {
  test(
    'leaves its successor one that ends, and not a stroop is lost',
    limits,
    async ({ cluster }) => {
      await using world = await openRotationWorld(cluster, { standby: true })
      expect(await play(world, dangerous)).toHaveLength(dangerous.length)
    },
  )

  for (const mode of isFull ? (['Planned', 'Emergency'] as const) : []) {
    test(`at any write of one of mode ${mode}, on both sides`, limits, async ({ cluster }) => {
      await using world = await openRotationWorld(cluster, { standby: true })
      const [clean] = await world.pools([`${mode.toLowerCase()}-clean`])
      if (!clean) throw new Error('no pool')
      clean.gate.set()
      await rotate(world, clean, mode)
      await expectDone(world, clean)
      const writes = [...clean.gate.writes]
      const kills = writes.flatMap((_, at) =>
        sides.map((side) => ({
          name: `${mode.toLowerCase()}-${at + 1}-${side}`,
          mode,
          cut: atNumber(at + 1, side),
        })),
      )
      const reached = new Set<string>()
      const startedAt = performance.now()
      const playAll = async (all: readonly Kill[]) => {
        for (let at = 0; at < all.length; at += AT_ONCE) {
          for (const each of await play(world, all.slice(at, at + AT_ONCE))) reached.add(each)
        }
      }
      await playAll(kills)
      logDuration(
        `operator killed before and after each of the ${writes.length} writes of a rotation of mode ${mode}`,
        performance.now() - startedAt,
      )
      const missing = () =>
        [...new Set(writes)].flatMap((what) =>
          sides.flatMap((side) => (reached.has(`${side} ${what}`) ? [] : [{ what, side }])),
        )
      // How often a pass reports what it waits for differs, and so do the numbers of later writes.
      const named = missing().map(({ what, side }, at) => ({
        name: `${mode.toLowerCase()}-missing-${at}`,
        mode,
        cut: { side, hits: (seen: string) => seen === what },
      }))
      await playAll(named)
      expect(missing()).toEqual([])
    })
  }
})
