import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { FacilitatorRecord, FacilitatorShare } from '../records.ts'
import {
  type KnownFacilitator,
  readFacilitators,
  readSigners,
} from '../store/stats/read-facilitators.ts'
import { inSnapshot } from '../store/stats/read-snapshot.ts'
import {
  type GroupedTotals,
  noTotals,
  readTotals,
  type Totals,
} from '../store/stats/read-totals.ts'
import { compareText } from './compare-text.ts'
import { timeOf } from './figures/aggregate.ts'
import { shareOf } from './figures/share.ts'

/** Everybody who submitted a payment, and the registry's others, largest share first. */
export async function facilitatorsOf(db: Db, network?: NetworkId): Promise<FacilitatorShare[]> {
  const { totals, known } = await inSnapshot(db, async (snapshot) => ({
    totals: await readTotals(snapshot, { network }),
    known: await readFacilitators(snapshot),
  }))
  return facilitatorShares(totals, known)
}

export function facilitatorShares(
  { byFacilitator, all }: GroupedTotals,
  known: readonly KnownFacilitator[],
): FacilitatorShare[] {
  const byId = new Map(known.map((facilitator) => [facilitator.id, facilitator]))
  const ids = new Set<string | null>([...byFacilitator.keys(), ...byId.keys()])
  return [...ids]
    .map((id) =>
      share(id, {
        known: id === null ? undefined : byId.get(id),
        totals: byFacilitator.get(id) ?? noTotals,
        all: all.payments.all,
      }),
    )
    .sort(
      (a, b) =>
        b.payments - a.payments || compareText(a.facilitatorId ?? '', b.facilitatorId ?? ''),
    )
}

interface ShareFacts {
  readonly known: KnownFacilitator | undefined
  readonly totals: Totals
  /** Payments of all facilitators. */
  readonly all: number
}

function share(id: string | null, { known, totals, all }: ShareFacts): FacilitatorShare {
  const { all: payments, ...windows } = totals.payments
  return {
    facilitatorId: id,
    payments,
    share: shareOf(payments, all),
    windows,
    ...(known?.displayName && { displayName: known.displayName }),
    verified: known?.verified ?? false,
    ...(totals.lastAt !== null && { lastPaymentAt: timeOf(totals.lastAt) }),
  }
}

const MAX_SIGNERS = 1_000

/** Undefined for an id that the registry does not have. */
export async function facilitatorOf(db: Db, id: string): Promise<FacilitatorRecord | undefined> {
  const { totals, known, signers } = await inSnapshot(db, async (snapshot) => ({
    totals: await readTotals(snapshot, {}),
    known: (await readFacilitators(snapshot, id))[0],
    signers: await readSigners(snapshot, id, MAX_SIGNERS),
  }))
  if (!known) return undefined
  const { baseUrl, lastSeenAt, lastError } = known
  return {
    ...share(id, {
      known,
      totals: totals.byFacilitator.get(id) ?? noTotals,
      all: totals.all.payments.all,
    }),
    ...(baseUrl !== null && { baseUrl }),
    source: known.source,
    networks: [...known.networks],
    signers: [...signers],
    claimedSigners: [...known.claimedSigners],
    uptoContracts: [...known.uptoContracts],
    ...(lastSeenAt && { lastSeenAt: lastSeenAt.toISOString() }),
    ...(lastError !== null && { lastError }),
    createdAt: known.createdAt.toISOString(),
  }
}
