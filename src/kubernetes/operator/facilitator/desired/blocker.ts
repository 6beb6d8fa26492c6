import type { FacilitatorReason } from '../../../crd/facilitator/conditions.ts'

/** Why no child can be rendered. The objects that exist stay as they are. */
export interface Blocker {
  readonly reason: FacilitatorReason
  /** The problem and its solution, in one sentence. */
  readonly message: string
}
