import { afterAll, beforeAll, describe, test } from 'vitest'
import { playOutage, rounds } from './rotate-without-server.ts'
import { openRotateWorld, type RotateWorld } from './rotate-world.ts'

/* One of the servers in three of the steps; rotate-outages.long.test.ts has both in each. */

const sample = [
  'rpc, lost in the check',
  'store, lost in provision, after it has sent',
  'rpc, lost in drain',
]
const chosen = rounds.filter(({ server, step }) => sample.includes(`${server}, lost in ${step}`))

let world: RotateWorld
beforeAll(async () => {
  world = await openRotateWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

describe.concurrent('svc rotate without a server says which one, and goes on when it is run again', () => {
  test.each(chosen)('$server, lost in $step', { timeout: 240_000 }, (round) =>
    playOutage(world, round),
  )
})
