import type { FacilitatorReason } from '../../api/facilitator-conditions.ts'
import { firstMatch } from '../../core/first-match.ts'
import type { Blocker } from './blockers.ts'
import type { Trouble } from './carry-out.ts'
import type { Part } from './parts.ts'
import type { FacilitatorPlan } from './plan.ts'
import type { FacilitatorView } from './view.ts'
import type { Workload } from './workload.ts'

/** A Facilitator as it was found, and what came of it. */
export interface Seen {
  readonly view: FacilitatorView
  /** Then there is no plan. */
  readonly blocker: Blocker | undefined
  readonly plan: FacilitatorPlan | undefined
  readonly troubles: readonly Trouble[]
  /** The parts that are wanted, the facilitator first. */
  readonly parts: readonly SeenPart[]
  readonly pools: readonly SeenPool[]
}

export interface SeenPart {
  readonly part: Part
  readonly deployment: string
  readonly workload: Workload
}

/** What a pool says of itself. */
export interface SeenPool {
  readonly name: string
  readonly network: string | undefined
  readonly wanted: number
  readonly ready: PoolSays
  readonly funded: PoolSays
  /** Whether settlements find a channel, even if fewer than are wanted. */
  readonly isUsable: boolean
}

export interface PoolSays {
  readonly status: 'True' | 'False' | 'Unknown'
  /** Of the pool's own table of reasons. */
  readonly reason: string
  readonly message: string
}

/** A condition's status, reason and sentence. */
export interface Judgement {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: FacilitatorReason
  readonly message: string
}

export type Check = (seen: Seen) => Judgement | undefined

/** First match wins. */
export function firstOf(checks: readonly Check[], seen: Seen, otherwise: Judgement): Judgement {
  return firstMatch(checks, (check) => check(seen)) ?? otherwise
}
