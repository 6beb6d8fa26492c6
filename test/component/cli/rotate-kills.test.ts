import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GateStop } from '../../support/write-gate.ts'
import { type Mode, openRotateWorld, type RotateWorld } from './rotate-world.ts'
import { drain, plannedWrites, provision } from './rotate-writes.ts'

/*
 * SIGKILL of `svc rotate` on both sides of its writes: before the server gets one, and after it was executed, without the answer. `make test`
 * plays the chosen ones, `make chaos` all.
 */

const isFull = process.env['CHAOS'] === 'full'

const SEND = 'sendTransaction'

/** After each transaction of a planned rotation and the first one of an emergency; before the channels drain. */
const inEveryRun: Readonly<Record<Mode, (stop: GateStop, writes: readonly string[]) => boolean>> = {
  planned: ({ at, side }, writes) =>
    side === 'after'
      ? writes[at - 1] === SEND
      : at === provision.length + drain.indexOf('commit') + 1,
  emergency: ({ at, side }, writes) => side === 'after' && at === writes.indexOf(SEND) + 1,
}

let world: RotateWorld
beforeAll(async () => {
  world = await openRotateWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

test.each(['planned', 'emergency'] as const)(
  'svc rotate --mode %s, killed at its writes, ends right when it is run again, and does nothing twice',
  { timeout: isFull ? 1_800_000 : 240_000 },
  async (mode) => {
    await using whole = await world.gated()
    const uninterrupted = await world.pair(mode)
    expect(await uninterrupted.run(whole.env)).toMatchObject({ code: 0 })
    const { writes } = whole.gate
    if (mode === 'planned') expect(writes).toEqual(plannedWrites)
    await uninterrupted.expectDone()
    const once = uninterrupted.sent

    expect(writes.filter((name) => name === SEND)).toHaveLength(once.length)
    const stops = writes
      .flatMap((_, index): GateStop[] => [
        { at: index + 1, side: 'before' },
        { at: index + 1, side: 'after' },
      ])
      .filter((stop) => isFull || inEveryRun[mode](stop, writes))
    expect(stops).not.toEqual([])
    await eachOf(stops, LANES, async (stop) => {
      const note = `${stop.side} write ${stop.at}, ${writes[stop.at - 1]}`
      const pair = await world.pair(mode)
      {
        await using servers = await world.gated({ stop })
        using killed = pair.start(servers.env)
        await Promise.race([servers.gate.reached, killed.ended])
        expect(killed.output, note).not.toContain('"ok"')
        expect(await killed.end('SIGKILL'), note).toBeNull()
      }
      await pair.endLeases()
      const again = await pair.run()
      expect(again, `${note}: ${again.err}`).toMatchObject({ code: 0, lines: [{ ok: true }] })
      await pair.expectDone(note)
      expect(pair.sent, note).toEqual(once)
    })
  },
)

/** A process waits for ledgers and pauses a third of its time. */
const LANES = 3

/** Does the work for each item, so many at once. */
async function eachOf<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>) {
  const rest = items.values()
  const lane = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
