import { afterAll, beforeAll, test } from 'vitest'
import { playKills } from './killed-rotation.ts'
import { openRotateWorld, type RotateWorld } from './rotate-world.ts'

let world: RotateWorld
beforeAll(async () => {
  world = await openRotateWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

test.each(['planned', 'emergency'] as const)(
  'svc rotate --mode %s, killed on both sides of each write, ends right when it is run again, and does nothing twice',
  { timeout: 1_800_000 },
  (mode) => playKills(world, mode, () => true),
)
