/** SIGKILL of `svc rotate` on both sides of its writes: before the server gets one, and after it was executed, without the answer. */
import { expect } from 'vitest'
import { logDuration } from '../../../../cluster/chaos/support/pace.ts'
import { atNumber, type Side } from '../../../../support/write-gate.ts'
import type { Mode, RotatedPair, RotateWorld } from './rotate-world.ts'
import { plannedWrites } from './rotate-writes.ts'

export const SEND = 'sendTransaction'

/** Before or after a write; from 1 on. */
export interface Stop {
  readonly at: number
  readonly side: Side
}

/**
 * Kills a rotation at each of the chosen stops, and runs it again: it ends right, and does nothing twice.
 * @param isChosen gets the writes of a rotation that nothing interrupted
 */
export async function playKills(
  world: RotateWorld,
  mode: Mode,
  isChosen: (stop: Stop, writes: readonly string[]) => boolean,
): Promise<void> {
  const { writes, sent } = await uninterrupted(world, mode)
  if (mode === 'planned') expect(writes).toEqual(plannedWrites)
  expect(writes.filter((name) => name === SEND)).toHaveLength(sent.length)
  const stops = writes
    .flatMap((_, index): Stop[] => [
      { at: index + 1, side: 'before' },
      { at: index + 1, side: 'after' },
    ])
    .filter((stop) => isChosen(stop, writes))
  expect(stops).not.toEqual([])
  let leases = 0
  const startedAt = performance.now()
  await eachOf(stops, LANES, async (stop) => {
    const note = `${stop.side} write ${stop.at}, ${writes[stop.at - 1]}`
    const pair = await killedAt(world, { stop, mode, note })
    if (await runAgain(pair, note)) leases += 1
    await pair.expectDone(note)
    expect(pair.sent, note).toEqual(sent)
  })
  if (mode === 'emergency') expect(leases).toBeGreaterThan(0)
  logDuration(
    `svc rotate --mode ${mode} killed ${stops.length} times, at ${writes.length} writes; ${leases} times a channel stayed leased`,
    performance.now() - startedAt,
  )
}

/**
 * The network is in this process. On an overloaded machine a command may end as without RPC or Postgres: then a pair is taken anew, or
 * the command is run again, as it says.
 */
const TRIES = 5
const hasLostServer = (said: string): boolean => /run the same command again/i.test(said)

async function uninterrupted(world: RotateWorld, mode: Mode) {
  for (let tries = 1; ; tries += 1) {
    await using servers = await world.gated()
    const pair = await world.pair(mode)
    const ran = await pair.run(servers.env)
    if (tries < TRIES && hasLostServer(ran.err)) continue
    expect(ran, ran.err).toMatchObject({ code: 0 })
    await pair.expectDone()
    return { writes: servers.gate.writes, sent: pair.sent }
  }
}

interface Kill {
  readonly stop: Stop
  readonly mode: Mode
  readonly note: string
}

async function killedAt(world: RotateWorld, { stop, mode, note }: Kill): Promise<RotatedPair> {
  for (let tries = 1; ; tries += 1) {
    const pair = await world.pair(mode)
    await using servers = await world.gated({ stop: atNumber(stop.at, stop.side) })
    using killed = pair.start(servers.env)
    await Promise.race([servers.gate.reached, killed.ended])
    if (tries < TRIES && hasLostServer(killed.output)) continue
    expect(killed.output, note).not.toContain('"ok"')
    expect(await killed.end('SIGKILL'), note).toBeNull()
    return pair
  }
}

/** The next command says until when the killed one keeps a channel, and ends once it no longer does. @returns whether it keeps one */
async function runAgain(pair: RotatedPair, note: string): Promise<boolean> {
  const until = await pair.holdLease()
  const says = `transactions of the sponsor lease 1 channel, until ${until} if their process has stopped`
  let isHeld = until !== undefined
  for (let tries = 1; ; tries += 1) {
    using again = pair.start()
    if (isHeld) {
      await Promise.race([again.printed(new RegExp(says)).catch(() => undefined), again.ended])
      if (tries < TRIES && hasLostServer(again.output)) continue
      expect(again.output, note).toContain(says)
      isHeld = false
      await pair.endLeases()
    }
    const { code } = await again.ended
    if (tries < TRIES && hasLostServer(again.output)) {
      await pair.endLeases()
      continue
    }
    expect(again.output, note).toContain('"ok":true')
    expect(code, note).toBe(0)
    return until !== undefined
  }
}

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
