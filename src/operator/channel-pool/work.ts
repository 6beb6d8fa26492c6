import type { ChannelPool } from '../../api/channel-pool.ts'
import type { Clock } from '../../core/clock.ts'
import { type Stroops, stroopsFromLumens } from '../../core/stroops.ts'
import { listPoolChannels } from '../../store/pools/pool-channels.ts'
import { readHourStats } from '../../store/settlements/hour-stats.ts'
import type { Leadership } from '../leadership.ts'
import { type Carried, carryOut } from './carry-out.ts'
import type { Connected } from './connect.ts'
import { lookAtLedger } from './ledger-view.ts'
import type { PoolObservation } from './observation.ts'
import { Obstacle } from './obstacles.ts'
import { planPool } from './plan.ts'

export interface PoolWork {
  readonly spec: ChannelPool['spec']
  readonly wanted: number
  readonly connected: Connected
  readonly leadership: Leadership
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Steps in the store follow each other at once; after so many something else must be changing it too. */
const STORE_STEPS = 6

/**
 * Looks at the pool and makes it what is wanted, as far as that goes without a ledger, or by one
 * transaction on it. Answers what was seen and done last. Throws an `Obstacle`, or what `carryOut`
 * and the store throw.
 */
export async function workOn(work: PoolWork): Promise<PoolObservation> {
  for (let step = 1; ; step++) {
    const seen = await look(work)
    const carried = await carryOut(seen.plan, seen.accounts, handsOf(work))
    if (carried.kind !== 'stored' || step === STORE_STEPS) return { ...seen, carried }
  }
}

async function look({ spec, wanted, connected, signal }: PoolWork) {
  const { network, sponsor: address, sponsorSecret, store, rpc } = connected
  const [channels, figures] = await Promise.all([
    listPoolChannels(store.db, { network, sponsor: address }),
    readHourStats(store.db, network, address),
  ])
  const question = { network, sponsorSecret, wanted, channels }
  const { sponsor, accounts } = await lookAtLedger(rpc, question, signal)
  if (!sponsor) {
    const message = `Sponsor ${address} does not exist on ${network}: send it XLM.`
    throw new Obstacle('SponsorMissing', message)
  }
  return {
    wanted,
    channels,
    accounts,
    sponsor,
    plan: planPool({ wanted, channels, accounts }),
    spentLastHour: figures.committed,
    minBalance: stroopsFromLumens(spec.minSponsorBalanceXlm),
  } satisfies Omit<PoolObservation, 'carried'>
}

const handsOf = ({ spec, connected, leadership, clock, signal }: PoolWork) => ({
  ...connected,
  inclusionFee: BigInt(spec.fees.inclusion.floorStroops) as Stroops,
  clock,
  signal,
  tenure: leadership,
})

/** How long until there is reason to look again; undefined: when something changes. */
export function lookAgainMs({ carried, plan }: PoolObservation): number | undefined {
  const after: Record<Carried['kind'], number | undefined> = {
    created: 0,
    merged: 0,
    stored: 100,
    fruitless: 1_000,
    settled: plan.busy.length > 0 ? 3_000 : undefined,
  }
  return after[carried.kind]
}
