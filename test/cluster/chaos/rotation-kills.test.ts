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
import { isFull, timings } from './support/pace.ts'

const late = [undefined, rotationPatience] as const
/** The next operator leads only after the lease of the killed one: `make test` kills it where it sends transactions. */
const isKilledIn = (phase: string): boolean =>
  isFull || phase === 'Provisioning' || phase === 'Retiring'

test('a rotation ends although the operator is killed when a phase begins', {
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
    const phase = rotation?.phase ?? ''
    step = rotation?.step ?? step
    if (isKilledIn(phase)) {
      operator.kill('SIGKILL')
      await operator.exited
      killedIn.push(phase)
      operator = operators.use(world.operate(timings))
    }
    if (phase === 'Done') break
  }
  await world.until(hasEnded('Done'), ...late)
  await world.until(isReady, ...late)
  expect(killedIn.length).toBeGreaterThanOrEqual(isFull ? 4 : 1)
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
