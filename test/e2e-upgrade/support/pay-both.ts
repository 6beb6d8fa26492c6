import type { LoadRow } from '../../e2e/support/load/count.ts'
import { expectNoFailedRequest, expectNothingLost, underLoad } from '../../e2e/support/load.ts'
import type { UpgradeWorld } from './upgrade-world.ts'

/** Of each Facilitator. */
const PER_SECOND = 1

/** Acts while both Facilitators are paid; no payment of either may fail, be lost or be made twice. */
export async function payBoth(
  { payments, pinned }: UpgradeWorld,
  what: string,
  act: () => Promise<unknown>,
): Promise<void> {
  const options = { perSecond: PER_SECOND }
  const rows: LoadRow[] = []
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
      rows.push(ofPinned)
      return 'helm, migration and rolling update'
    },
    options,
  )
  for (const row of [...rows, ofPayments]) {
    expectNothingLost(row)
    expectNoFailedRequest(row)
  }
}
