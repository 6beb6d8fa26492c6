import { describe, expect } from 'vitest'
import type { ChannelPool } from '../../../../src/kubernetes/crd/channel-pool.ts'
import { atNumber, atWrite, type Cut, type Side } from '../../../support/write-gate.ts'
import { test } from '../../support/cluster-test.ts'
import { isFull, logDuration } from '../support/pace.ts'
import {
  beginOf,
  endSourceLease,
  expectDone,
  expectSums,
  limits,
  openRotationWorld,
  patience,
  type RotationWorld,
  rotate,
} from './support/rotation-world.ts'
import { serveUpto, stopServing } from './support/upto.ts'

type Mode = 'Planned' | 'Emergency'

interface Kill {
  readonly name: string
  readonly mode: Mode
  readonly cut: Cut
}

/** A kind of rotation whose writes are numbered. */
interface Scenario {
  readonly name: string
  readonly mode: Mode
  /** Whether pods serve the scheme upto, so that a rotation has three phases more. */
  readonly servesUpto?: boolean
  /** The first and the last of the writes at which the operator is killed; absent: of the rotation. */
  readonly first?: RegExp
  readonly last?: RegExp
}

const scenarios: readonly Scenario[] = [
  { name: 'planned', mode: 'Planned' },
  { name: 'emergency', mode: 'Emergency' },
  {
    name: 'upto',
    mode: 'Planned',
    servesUpto: true,
    // The writes before and after are those of the first one.
    first: /channelpools\/status Introducing$/,
    last: /channelpools\/status Retiring$/,
  },
]

/** Pools that wait at their writes beside each other; the operator works on 16. */
const AT_ONCE = 14
/** The operator replaces pods of so many Facilitators at once: a pool that waits at a write keeps its place. */
const ROLLOUTS_AT_ONCE = 5
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
async function play(
  world: RotationWorld,
  kills: readonly Kill[],
  { servesUpto = false }: Pick<Scenario, 'servesUpto'> = {},
): Promise<readonly string[]> {
  const pools = await world.pools(kills.map(({ name }) => name))
  if (servesUpto) await serveUpto(world, pools)
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
  const leases = await world.kill(pools)
  for (const [at, pool] of pools.entries()) {
    const until = leases.get(pool.old.address)
    if (until !== undefined) await endSourceLease(world, pool, until)
    await expectDone(world, pool)
    const begin = begins[at]
    if (begin) await expectSums(world, pool, begin)
  }
  expect(await world.stroops()).toBe(stroops)
  for (const pool of pools) {
    if (servesUpto) await stopServing(world, pool)
    await world.delete(pool.name)
  }
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

  for (const scenario of isFull ? scenarios : []) {
    const { name, mode, servesUpto = false, first = /^/, last } = scenario
    test(`at any write of a rotation: ${name}, on both sides`, limits, async ({ cluster }) => {
      await using world = await openRotationWorld(cluster, { standby: true })
      const [clean] = await world.pools([`${name}-clean`])
      if (!clean) throw new Error('no pool')
      if (servesUpto) await serveUpto(world, [clean])
      clean.gate.set()
      await rotate(world, clean, mode)
      await expectDone(world, clean)
      const all = [...clean.gate.writes]
      const begin = all.findIndex((what) => first.test(what))
      const end = last ? all.findIndex((what) => last.test(what)) + 1 : all.length
      const writes = all.slice(begin, end)
      expect(writes, all.join('\n')).not.toEqual([])

      const atOnce = servesUpto ? ROLLOUTS_AT_ONCE : AT_ONCE
      const reached = new Map<string, number>()
      const startedAt = performance.now()
      const playAll = async (kills: readonly Kill[]) => {
        for (let at = 0; at < kills.length; at += atOnce) {
          for (const each of await play(world, kills.slice(at, at + atOnce), scenario)) {
            reached.set(each, (reached.get(each) ?? 0) + 1)
          }
        }
      }
      await playAll(
        writes.flatMap((_, at) =>
          sides.map((side) => ({
            name: `${name}-${at + 1}-${side}`,
            mode,
            cut: atNumber(at + 1, side, first),
          })),
        ),
      )
      const missing = () =>
        [...new Set(writes)].flatMap((what) =>
          sides.flatMap((side) => (reached.has(`${side} ${what}`) ? [] : [{ what, side }])),
        )
      // How often a pass reports what it waits for differs, and so do the numbers of later writes.
      await playAll(
        missing().map(({ what, side }, at) => ({
          name: `${name}-missing-${at}`,
          mode,
          cut: { side, hits: (seen: readonly string[]) => seen.at(-1) === what },
        })),
      )
      const kills = [...reached.values()].reduce((sum, times) => sum + times, 0)
      logDuration(
        `${name}: ${kills} rotations ended whose operator was killed, before and after ${writes.length} writes of ${new Set(writes).size} kinds`,
        performance.now() - startedAt,
      )
      expect(missing()).toEqual([])
    })
  }
})
