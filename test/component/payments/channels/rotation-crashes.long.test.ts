import { afterAll, beforeAll, test } from 'vitest'
import { deathsOf, expectGoesOn } from './mortal-rotation.ts'
import { openRotationWorld, type RotationWorld } from './rotation-world.ts'

let world: RotationWorld
beforeAll(async () => {
  world = await openRotationWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('a rotation that was killed at any of its writes goes on when it is run again, and loses no stroop', {
  timeout: 600_000,
}, async () => {
  const { before, afterSending } = await deathsOf(world)
  for (const death of [...before, ...afterSending]) await expectGoesOn(world, death)
})
