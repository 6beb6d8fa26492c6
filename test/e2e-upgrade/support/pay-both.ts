import { expect } from 'vitest'
import { releases } from '../../../tools/e2e-upgrade/releases.ts'
import type { LoadRow } from '../../e2e/support/load/count.ts'
import { expectNoFailedRequest, expectNothingLost, underLoad } from '../../e2e/support/load.ts'
import type { UpgradeWorld } from './upgrade-world.ts'

/** Of each Facilitator. */
const PER_SECOND = 1

interface Step {
  readonly what: string
  /** Version whose pods at `payments` the step replaces. Those of `pinned` are of the previous release throughout. */
  readonly stops: string
}

/** Acts while both Facilitators are paid; no payment of either may fail, be lost or be made twice. */
export async function payBoth(
  { payments, pinned, previous }: UpgradeWorld,
  { what, stops }: Step,
  act: () => Promise<unknown>,
): Promise<void> {
  const options = { perSecond: PER_SECOND }
  const rows: (readonly [LoadRow, string])[] = []
  const ofPayments = await underLoad(
    payments,
    what,
    async () => {
      const ofPinned = await underLoad(
        pinned,
        `${what}: a Facilitator with an older spec.image`,
        async () => {
          await act()
          return 'its pods stay'
        },
        options,
      )
      rows.push([ofPinned, previous.version])
      return 'helm, migration and rolling update'
    },
    options,
  )
  rows.push([ofPayments, stops])
  for (const [row, stopped] of rows) {
    expectNothingLost(row)
    if (!refusesWhileStopping(stopped)) expectNoFailedRequest(row)
    else expect(row.failures.filter((failure) => !refusal.test(failure))).toEqual([])
  }
}

const refusal = /: 503, |: no answer, fetch failed: (UND_ERR_SOCKET|ECONNRESET)$/

const refusesWhileStopping = (version: string): boolean =>
  releases.some((release) => release.version === version && release.refusesWhileStopping)
