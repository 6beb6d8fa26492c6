import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { facilitatorSays, type Mistake, type Saying } from './mistakes/mistake.ts'
import type { Team } from './team.ts'
import type { Witness } from './witness.ts'

/** How a script is played. */
export interface Pace {
  /** The table is played again until then, each time in another order; once without it. */
  readonly minutes: number
  /** How long the team waits before each mistake for its pods to serve: a mistake may also meet pods that start. */
  readonly settleMs: number
  /** How long the operator may take to meet a mistake; a team that changes without end is held back. */
  readonly meetMs: number
  /** How long a mistake stays afterwards. */
  readonly holdMs: number
  /** Mistakes from one rollout of the other team to the next one. */
  readonly perRollout: number
}

export interface Played {
  readonly name: string
  /** From the mistake to the end of its correction. */
  readonly ms: number
  /** What a condition has not said in time. */
  readonly unmet?: string
  /** Why it was not played as its row says. */
  readonly problem?: string
}

const MS_PER_MINUTE = 60_000
const POLL_MS = 250
const rolledOut = facilitatorSays('RolledOut')

/** Plays mistakes one after the other, and makes the other team roll out between them. */
export async function playScript(
  mistakes: readonly Mistake[],
  team: Team,
  witness: Witness,
  { minutes, perRollout, ...pace }: Pace,
  say: (played: Played) => void,
): Promise<readonly Played[]> {
  const end = performance.now() + minutes * MS_PER_MINUTE
  const played: Played[] = []
  do {
    for (const mistake of inOrder(mistakes, played.length)) {
      if (played.length >= mistakes.length && performance.now() > end) break
      if (played.length % perRollout === 0) {
        await witness.rolloutEnded()
        await witness.beginRollout()
      }
      const one = await play(mistake, team, pace)
      played.push(one)
      say(one)
    }
  } while (performance.now() < end)
  await witness.rolloutEnded()
  return played
}

async function play(
  { name, apply, says, undo }: Mistake,
  team: Team,
  { settleMs, meetMs, holdMs }: Pick<Pace, 'settleMs' | 'meetMs' | 'holdMs'>,
): Promise<Played> {
  if (settleMs > 0) await unsaid(team, rolledOut, settleMs)
  const begun = performance.now()
  const problems: unknown[] = []
  const note = async (act: () => Promise<unknown> | undefined) => {
    try {
      await act()
    } catch (error) {
      problems.push(error instanceof Error ? error.message : error)
    }
  }
  await note(() => apply(team))
  const unmet = says && (await unsaid(team, says, meetMs))
  await sleep(holdMs)
  await note(() => undo?.(team))
  await note(() => team.undo())
  const ms = Math.round(performance.now() - begun)
  return {
    name,
    ms,
    ...(unmet !== undefined && { unmet }),
    ...(problems.length > 0 && { problem: problems.join('; ') }),
  }
}

/** Undefined once a condition has one of the reasons. */
async function unsaid(
  team: Team,
  { kind, name, reasons }: Saying,
  timeout: number,
): Promise<string | undefined> {
  let found: readonly string[] = []
  const met = async () => {
    found = await team.reasons(kind, name)
    return found.some((reason) => reasons.includes(reason))
  }
  return vi.waitUntil(met, { timeout, interval: POLL_MS }).then(
    () => undefined,
    () => `${kind} ${name}: ${found.join(', ')}`,
  )
}

/** The first time as the table has it, then each time by another stride. */
function inOrder(mistakes: readonly Mistake[], played: number): readonly Mistake[] {
  const round = Math.floor(played / mistakes.length)
  const { length } = mistakes
  let stride = 1 + round * 6
  while (round > 0 && gcd(stride, length) > 1) stride++
  return Array.from({ length }, (_, at) => mistakes[(at * stride) % length] as Mistake)
}

const gcd = (one: number, other: number): number => (other === 0 ? one : gcd(other, one % other))
