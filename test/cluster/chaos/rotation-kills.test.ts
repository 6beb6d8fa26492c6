import { expect } from 'vitest'
import { isReady, openPoolWorld } from '../operator/pool-world.ts'
import {
  addSponsor,
  firstSponsor,
  hasEnded,
  nameSponsor,
  onLedgerOf,
  rotationNotes,
  rotationPatience,
  secretMeta,
  stroopsOf,
} from '../operator/rotation-world.ts'
import { test } from '../support/cluster-test.ts'
import { timings } from './support/pace.ts'

const late = [undefined, rotationPatience] as const

test('a rotation ends although the operator is killed at the begin of each phase', {
  timeout: 900_000,
}, async ({ cluster }) => {
  await using world = await openPoolWorld(cluster)
  await using operators = new AsyncDisposableStack()
  let operator = operators.use(world.operate(timings))
  const old = firstSponsor(world)
  const next = await addSponsor(world, 'next-sponsor', 100n)
  await world.apply({ channels: 3 })
  await world.until(isReady, ...late)
  const stroops = await stroopsOf(world, [old, next])
  await nameSponsor(world, next.name)
  const killedIn: string[] = []
  for (let step = 1; ; step++) {
    const pool = await world.until(
      (seen) => expect(seen?.status?.rotation?.step ?? 0).toBeGreaterThanOrEqual(step),
      ...late,
    )
    const { rotation } = pool.status ?? {}
    step = rotation?.step ?? step
    operator.kill('SIGKILL')
    await operator.exited
    killedIn.push(rotation?.phase ?? '')
    operator = operators.use(world.operate(timings))
    if (rotation?.phase === 'Done') break
  }
  await world.until(hasEnded('Done'), ...late)
  await world.until(isReady, ...late)
  expect(killedIn.length).toBeGreaterThanOrEqual(4)
  expect(killedIn.at(-1)).toBe('Done')
  expect(await onLedgerOf(world, old)).toEqual({ channels: [], authority: false })
  expect(await onLedgerOf(world, next)).toMatchObject({
    channels: [0, 1, 2],
    authority: true,
    sponsoring: 8,
  })
  expect(await stroopsOf(world, [old, next])).toBe(stroops)
  for (const { name } of [old, next]) {
    expect((await secretMeta(world, name))?.finalizers).toBeUndefined()
  }
  expect((await rotationNotes(world)).length).toBeGreaterThan(0)
})
