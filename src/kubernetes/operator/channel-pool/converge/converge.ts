import { ProvisionFailure } from '../../../../payments/channels/create/create-channels.ts'
import { RetireFailure } from '../../../../payments/channels/retire/merge-channels.ts'
import { type Stroops, stroopsFromLumens } from '../../../../platform/core/amounts/stroops.ts'
import type { Clock } from '../../../../platform/core/time/clock.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { PoolUser } from '../../references/pool-users.ts'
import type { Leadership } from '../../store-access/leadership.ts'
import type { Connected } from '../connect/connect.ts'
import { type Applied, type ApplyDeps, applyPlan } from './apply.ts'
import type { PoolBackoff } from './backoff.ts'
import { requireOwnMark, type TakeOver } from './mark.ts'
import { type ObservedPool, observePool } from './observe.ts'
import { payerOf } from './payer.ts'
import { type PoolPlan, planPool } from './plan.ts'

/** What one pass observed, planned and applied; conditions and status are computed from it. */
export interface PoolResult extends ObservedPool {
  /** Channels the pool should have. */
  readonly desired: number
  readonly plan: PoolPlan
  readonly applied: Applied
  /** The spec's `minSponsorBalanceXlm`. */
  readonly minBalance: Stroops
  /** The Facilitators that name the pool. */
  readonly users: readonly PoolUser[]
  readonly storeId: string
  readonly unknownMigration: string | undefined
}

export interface ConvergeOptions {
  readonly uid: string
  readonly users: readonly PoolUser[]
  readonly takeOver: TakeOver
  readonly backoff: PoolBackoff
  readonly spec: ChannelPool['spec']
  readonly desired: number
  readonly connected: Connected
  readonly leadership: Leadership
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The sponsor that gets what merges free, and pays when the other one cannot: its seed may be known to others. */
  readonly rescuer?: Connected | undefined
}

/** A change of the store needs no wait. After this many in a row, another process must be changing the store too. */
const MAX_STORE_PASSES = 6

/**
 * Observes, plans and applies: changes of the store until none is left, then at most one transaction on the
 * ledger. Returns the last pass. Throws `PoolBlocked`, and what `applyPlan` and the store throw.
 */
export async function converge(options: ConvergeOptions): Promise<PoolResult> {
  const { spec, desired, connected, users, takeOver, signal } = options
  const { storeId, unknownMigration } = connected
  const minBalance = stroopsFromLumens(spec.minSponsorBalanceXlm)
  for (let pass = 1; ; pass++) {
    const observed = await observePool(connected, desired, signal)
    requireOwnMark(observed, connected, takeOver)
    const plan = planPool({ desired, ...observed, storeId })
    const funds = { floor: minBalance, promised: observed.promisedFees, ...observed }
    const applied = await applyWithBackoff(plan, observed, funds, options)
    if (applied.kind !== 'storeChanged' || pass === MAX_STORE_PASSES) {
      return { ...observed, desired, plan, applied, minBalance, users, storeId, unknownMigration }
    }
  }
}

/** A transaction that the network refuses is a sponsor that cannot pay: the computation of its costs was wrong, or the sponsor was used. */
async function applyWithBackoff(
  plan: PoolPlan,
  { accounts, sponsor, mark }: ObservedPool,
  funds: ApplyDeps['funds'],
  options: ConvergeOptions,
): Promise<Applied> {
  const { backoff, uid, clock } = options
  const held = backoff.heldBack(uid, sponsor, clock.now())
  try {
    return await applyPlan(plan, accounts, { ...applyDepsOf(options), mark, funds, held })
  } catch (error) {
    if (!(error instanceof ProvisionFailure || error instanceof RetireFailure)) throw error
    backoff.noteRefused(uid, sponsor, error.message, clock.now())
    return { kind: 'short', message: error.message }
  }
}

const applyDepsOf = ({ spec, connected, leadership, clock, signal, rescuer }: ConvergeOptions) => ({
  ...connected,
  payer: rescuer && payerOf(rescuer, { clock, signal }),
  inclusionFee: BigInt(spec.fees.inclusion.floorStroops) as Stroops,
  clock,
  signal,
  tenure: leadership,
})

const RETRY_UNFUNDED_MS = 30_000

/**
 * Milliseconds until the next pass; undefined when only a change of a watched object starts one.
 * @param shortMs for a sponsor that cannot pay
 */
export function nextPassMs(
  { applied, plan }: PoolResult,
  { shortMs, isFunded }: { readonly shortMs: number | undefined; readonly isFunded: boolean },
): number | undefined {
  const after: Record<Applied['kind'], number | undefined> = {
    created: 0,
    merged: 0,
    storeChanged: 100,
    notSent: 1_000,
    short: shortMs,
    unchanged: plan.busy.length > 0 ? 3_000 : undefined,
  }
  return after[applied.kind] ?? (isFunded ? undefined : RETRY_UNFUNDED_MS)
}

/** Whether accounts of an earlier pool of this sponsor are being taken over. */
export const isAdopting = ({ plan, channels }: PoolResult): boolean => {
  const known = new Set(channels.map(({ index }) => index))
  return (
    plan.unclaimed.length > 0 ||
    plan.adopt.length > 0 ||
    plan.activate.some((index) => !known.has(index))
  )
}

/** Whether the pool differs from its desired state. */
export const isConverging = ({ plan, applied }: PoolResult): boolean =>
  applied.kind !== 'unchanged' || plan.busy.length > 0
