import type { Stroops } from '../../core/stroops.ts'
import type { AccountState } from '../../stellar/rpc.ts'
import type { PoolChannel } from '../../store/pools/pool-channels.ts'
import type { Carried } from './carry-out.ts'
import type { PoolPlan } from './plan.ts'

/** A pool as it was found, what was made of that, and what was done. */
export interface PoolObservation {
  readonly wanted: number
  readonly channels: readonly PoolChannel[]
  /** Those on the ledger, by index. */
  readonly accounts: ReadonlyMap<number, AccountState>
  readonly sponsor: AccountState
  readonly plan: PoolPlan
  readonly carried: Carried
  /** Of the sponsor's settlements of the last hour, all replicas together. */
  readonly spentLastHour: Stroops
  /** The spec's `minSponsorBalanceXlm`. */
  readonly minBalance: Stroops
}

/** Channels of an earlier life of the pool that are being taken over. */
export const isAdopting = ({ plan, channels }: PoolObservation): boolean => {
  const known = new Set(channels.map(({ index }) => index))
  return plan.adopt.length > 0 || plan.put.some((index) => !known.has(index))
}

/** Whether anything is left to do for the pool to be as wanted. */
export const isMoving = ({ plan, carried }: PoolObservation): boolean =>
  carried.kind !== 'settled' || plan.busy.length > 0
