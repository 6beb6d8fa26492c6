import { randomInt } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { missingForDatabase, startCrashDatabase } from '../../support/crash-database.ts'
import type { Disaster } from '../../support/crash-disasters.ts'
import { type Lane, openLane } from '../../support/crash-lane.ts'
import { seededRandom } from '../../support/crash-random.ts'
import { moments, playRound, type RoundResult } from '../../support/crash-round.ts'
import type { LaneSponsor } from '../../support/crash-sponsor.ts'

const CHANNELS = 7
/** A little longer than claims, leases and following last in the lanes. */
const FROZEN_MS = 4_500
const ROUND_MS = 240_000

/** Where the key of the sponsor lies, if not in the process that is killed. */
export interface SponsorPlace {
  readonly name: string
  /** Why it cannot be on this machine. */
  readonly missing?: string | undefined
  /** Whether it logs what it signs. */
  readonly hasLog?: boolean
  open(): Promise<OpenPlace>
}

interface OpenPlace extends AsyncDisposable {
  readonly sponsor: LaneSponsor
  /** Called when the round is over: problems between its log and what the ledger has. Undefined without a log. */
  problems?(lane: Lane): Promise<readonly string[]>
}

interface Played extends RoundResult {
  readonly signing?: readonly string[] | undefined
}

/** One round of a disaster, with a payment waiting at every point when it strikes. */
export function describeDisaster(disaster: Disaster, place?: SponsorPlace): void {
  describe(`${disaster.name}${place ? `, the sponsor in ${place.name}` : ''}, with a payment`, () => {
    const seed = randomInt(2 ** 31)
    const missing = missingForDatabase(disaster.database ?? {}) ?? place?.missing
    let result: Played
    beforeAll(async () => {
      if (missing === undefined) result = await playOnce(disaster, seed, place)
    }, ROUND_MS)
    beforeEach(({ skip }) => {
      if (missing !== undefined) skip(missing)
    })

    test.each(moments)(
      '%s: it is made once, every answer says so, and the catalog has it once',
      (moment) => {
        const tallies = result.tallies.filter((tally) => tally.moment === moment)
        const noFault = { lost: 0, doubled: 0, untrue: 0, stuck: 0, uncataloged: 0 }
        const good = { moment, expected: 1, found: 1, ...noFault }
        expect(tallies.length).toBeGreaterThan(0)
        expect(tallies, `seed ${seed}`).toEqual(tallies.map(() => good))
      },
    )

    if (disaster.isUnderAttack) {
      test('at each point: the hostile payers waste no more than the rules allow', () => {
        const { failures = -1, bound = -1, refusals = 0 } = result.attack ?? {}
        expect(refusals).toBeGreaterThan(0)
        expect(failures, `seed ${seed}`).toBeLessThanOrEqual(bound)
      })
    }

    test('at each point: every channel takes payments again', () => {
      expect(result.channelsUsed, `seed ${seed}`).toBe(CHANNELS)
    })

    test('at each point: usage counts every payment once, with its amount', () => {
      expect(result.usage.made.successes).toBeGreaterThan(CHANNELS)
      expect(result.usage.counted, `seed ${seed}`).toEqual(result.usage.made)
    })

    test('at each point: the budget counts the fees that the ledger charged, to the stroop', () => {
      expect(result.budget.charged).toBeGreaterThan(0n)
      expect(result.budget.counted, `seed ${seed}`).toBe(result.budget.charged)
    })

    if (place?.hasLog) {
      test('at each point: the log has every transaction of the sponsor, once, and all fees', () => {
        expect(result.signing, `seed ${seed}`).toEqual([])
      })
    }
  })
}

async function playOnce(
  disaster: Disaster,
  seed: number,
  place: SponsorPlace | undefined,
): Promise<Played> {
  await using localnet = await startLocalnetServer({ closeEveryMs: 250 })
  await using database = await startCrashDatabase(disaster.database ?? {})
  await using opened = await place?.open()
  await using lane = await openLane({
    localnet,
    databaseUrl: database.url,
    channels: CHANNELS,
    replicas: disaster.replicas,
    ...(opened && { sponsor: opened.sponsor }),
  })
  const round = await playRound({
    lane,
    disaster,
    database,
    frozenMs: FROZEN_MS,
    random: seededRandom(seed),
  })
  return { ...round, signing: await opened?.problems?.(lane) }
}
