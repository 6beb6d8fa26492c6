import type { FacilitatorReason } from '../../crd/facilitator/conditions.ts'
import type { Facilitator } from '../../crd/facilitator.ts'
import { causeOf } from '../../crd/fields/cause.ts'
import { findCondition } from '../../runtime/objects/conditions.ts'

/** Why the pods of a Facilitator are not replaced, by its own conditions. */
export interface RolloutTrouble {
  /** Reason and message of the condition. */
  readonly says: string
  /** Whether the rollout goes on only after an administrator has acted. */
  readonly isStuck: boolean
}

/** Nothing is in the way of a Facilitator with these reasons. */
const rolls: ReadonlySet<string> = new Set<FacilitatorReason>(['RolledOut', 'NotObserved'])
/**
 * Undefined while the pods are merely replaced. By Progressing, which names what is in the way of pods; Stalled also names what is not,
 * such as a route that the cluster does not know. Never by what a Facilitator says of its pools: those would repeat their own message.
 */
export function troubleOf(
  status: Pick<NonNullable<Facilitator['status']>, 'conditions'> | undefined,
): RolloutTrouble | undefined {
  const progressing = findCondition(status?.conditions, 'Progressing')
  const isStuck =
    progressing !== undefined && !rolls.has(progressing.reason) && progressing.status !== 'True'
  if (isStuck) {
    const cause = causeOf(status?.conditions, progressing.reason) ?? progressing
    return { says: sentenceOf(cause), isStuck }
  }
  const degraded = findCondition(status?.conditions, 'Degraded')
  const pods: FacilitatorReason = 'PodsFailing'
  const areFailing = degraded?.status === 'True' && degraded.reason === pods
  return areFailing ? { says: sentenceOf(degraded), isStuck } : undefined
}

const sentenceOf = ({ reason, message }: { readonly reason: string; readonly message: string }) =>
  `${reason}: ${message}`
