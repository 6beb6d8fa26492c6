import { afterAll, beforeAll, describe, test } from 'vitest'
import { playOutage, rounds } from './rotate-without-server.ts'
import { openRotateWorld, type RotateWorld } from './rotate-world.ts'

let world: RotateWorld
beforeAll(async () => {
  world = await openRotateWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

describe.concurrent('svc rotate without a server says which one, and goes on when it is run again', () => {
  test.each(rounds)('$server, lost in $step', { timeout: 600_000 }, (round) =>
    playOutage(world, round),
  )
})
