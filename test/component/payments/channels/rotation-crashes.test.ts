import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rotate } from '../../../../src/payments/channels/rotation/rotate.ts'
import { deathsOf, expectGoesOn } from './mortal-rotation.ts'
import { expectRotated, openRotationWorld, type RotationWorld } from './rotation-world.ts'

let world: RotationWorld
beforeAll(async () => {
  world = await openRotationWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

describe('a rotation that was killed goes on when it is run again', () => {
  // The file rotation-crashes.long.test.ts plays each of the other writes.
  test('at its first and last write and after each transaction, and loses no stroop', async () => {
    const { before, afterSending } = await deathsOf(world)
    for (const death of [...before.slice(0, 1), ...before.slice(-1), ...afterSending]) {
      await expectGoesOn(world, death)
    }
  })

  test('two at once do the work of one', { timeout: 120_000 }, async () => {
    const [from, to] = await world.pair()
    const since = world.localnet.network.latest.sequence
    const before = await world.total(since, from, to)
    await world.serves('pod-a/1', to)
    await Promise.all([rotate(world.options(from, to)), rotate(world.options(from, to))])
    await expectRotated(world, from, to)
    expect(await world.total(since, from, to)).toBe(before)
  })
})
