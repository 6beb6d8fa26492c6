import type { ChannelPool } from '../../api/channel-pool.ts'
import type { Clock } from '../../core/clock.ts'
import { type Stroops, stroopsFromLumens } from '../../core/stroops.ts'
import type { Leadership } from '../leadership.ts'
import { type Applied, applyPlan } from './apply.ts'
import type { Connected } from './connect.ts'
import { type ObservedPool, observePool } from './observe.ts'
import { type PoolPlan, planPool } from './plan.ts'

/** What one pass observed, planned and applied; conditions and status are computed from it. */
export interface PoolResult extends ObservedPool {
  /** Channels the pool should have. */
  readonly desired: number
  readonly plan: PoolPlan
  readonly applied: Applied
  /** The spec's `minSponsorBalanceXlm`. */
  readonly minBalance: Stroops
}

export interface ConvergeOptions {
  readonly spec: ChannelPool['spec']
  readonly desired: number
  readonly connected: Connected
  readonly leadership: Leadership
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** A change of the store needs no wait. After this many in a row, another process must be changing the store too. */
const MAX_STORE_PASSES = 6

/**
 * Observes, plans and applies: changes of the store until none is left, then at most one transaction on the
 * ledger. Returns the last pass. Throws `PoolBlocked`, and what `applyPlan` and the store throw.
 */
export async function converge(options: ConvergeOptions): Promise<PoolResult> {
  const { spec, desired, connected, signal } = options
  const minBalance = stroopsFromLumens(spec.minSponsorBalanceXlm)
  for (let pass = 1; ; pass++) {
    const observed = await observePool(connected, desired, signal)
    const plan = planPool({ desired, ...observed })
    const funds = { floor: minBalance, promised: observed.promisedFees, ...observed }
    const applied = await applyPlan(plan, observed.accounts, { ...applyDepsOf(options), funds })
    if (applied.kind !== 'storeChanged' || pass === MAX_STORE_PASSES) {
      return { ...observed, desired, plan, applied, minBalance }
    }
  }
}

const applyDepsOf = ({ spec, connected, leadership, clock, signal }: ConvergeOptions) => ({
  ...connected,
  inclusionFee: BigInt(spec.fees.inclusion.floorStroops) as Stroops,
  clock,
  signal,
  tenure: leadership,
})

/** Milliseconds until the next pass; undefined when only a change of a watched object starts one. */
export function nextPassMs({ applied, plan }: PoolResult): number | undefined {
  const after: Record<Applied['kind'], number | undefined> = {
    created: 0,
    merged: 0,
    storeChanged: 100,
    notSent: 1_000,
    short: 10_000,
    unchanged: plan.busy.length > 0 ? 3_000 : undefined,
  }
  return after[applied.kind]
}

/** Whether accounts of an earlier pool of this sponsor are being taken over. */
export const isAdopting = ({ plan, channels }: PoolResult): boolean => {
  const known = new Set(channels.map(({ index }) => index))
  return plan.adopt.length > 0 || plan.activate.some((index) => !known.has(index))
}

/** Whether the pool differs from its desired state. */
export const isConverging = ({ plan, applied }: PoolResult): boolean =>
  applied.kind !== 'unchanged' || plan.busy.length > 0
