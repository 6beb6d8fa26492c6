import { afterAll, beforeAll, test } from 'vitest'
import { playKills, SEND, type Stop } from './killed-rotation.ts'
import { type Mode, openRotateWorld, type RotateWorld } from './rotate-world.ts'
import { drain, provision } from './rotate-writes.ts'

/*
 * After the first and the last transaction of a planned rotation, before its channels drain, and after the first transaction of an
 * emergency; rotate-kills.long.test.ts has all writes.
 */

const sample: Readonly<Record<Mode, (stop: Stop, writes: readonly string[]) => boolean>> = {
  planned: ({ at, side }, writes) =>
    side === 'after'
      ? at === writes.indexOf(SEND) + 1 || at === writes.lastIndexOf(SEND) + 1
      : at === provision.length + drain.indexOf('commit of update channels') + 1,
  emergency: ({ at, side }, writes) => side === 'after' && at === writes.indexOf(SEND) + 1,
}

let world: RotateWorld
beforeAll(async () => {
  world = await openRotateWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

test.each(['planned', 'emergency'] as const)(
  'svc rotate --mode %s, killed at its writes, ends right when it is run again, and does nothing twice',
  { timeout: 240_000 },
  (mode) => playKills(world, mode, sample[mode]),
)
