import { causeOf } from '../../crd/fields/cause.ts'
import { annotations } from '../../crd/names/marks.ts'
import type { KubeObject } from '../../runtime/objects/resource.ts'
import type { FacilitatorObject } from '../cluster/kinds.ts'

/* Whether the pods of a Facilitator have been replaced since its annotation `restartedAt` was set. */

export interface DeploymentObject extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly template: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> }
    }
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
    }[]
  }
}

export type Rollout =
  | { readonly state: 'done' }
  | { readonly state: 'going'; readonly says: string }
  | { readonly state: 'failed'; readonly says: string }

/** Reasons of Progressing, Degraded and Ready with which the operator holds a rollout back until something changes. */
const held = ['MigrationFailed', 'PreflightFailed', 'RolloutHeld', 'ProgressDeadlineExceeded']

/** @param restartedAt the value of the annotation, an ISO time */
export function rolloutOf(
  deployments: readonly DeploymentObject[],
  facilitator: FacilitatorObject | undefined,
  restartedAt: string,
): Rollout {
  const stuck = facilitator?.status?.conditions?.find(
    ({ reason, lastTransitionTime }) =>
      held.includes(reason) && Date.parse(lastTransitionTime) >= wholeSecond(restartedAt),
  )
  if (stuck) {
    const { reason, message } = causeOf(facilitator?.status?.conditions, stuck.reason) ?? stuck
    return { state: 'failed', says: `${reason}: ${message}` }
  }
  if (deployments.length === 0) return { state: 'going', says: 'there are no pods yet' }
  const steps = deployments.map((each) => stepOf(each, restartedAt))
  const failed = steps.find(({ state }) => state === 'failed')
  if (failed) return failed
  const going = steps.flatMap((step) => (step.state === 'going' ? [step.says] : []))
  return going.length === 0 ? { state: 'done' } : { state: 'going', says: going.join('; ') }
}

/** Conditions have no fractions of seconds. */
const wholeSecond = (time: string): number => Math.floor(Date.parse(time) / 1_000) * 1_000

function stepOf({ metadata, spec, status = {} }: DeploymentObject, restartedAt: string): Rollout {
  const { name, generation = 0 } = metadata
  const { replicas: wanted = 1, template } = spec
  if (template.metadata?.annotations?.[annotations.restartedAt] !== restartedAt) {
    return { state: 'going', says: `${name}: the operator has not begun` }
  }
  if ((status.observedGeneration ?? 0) < generation) {
    return { state: 'going', says: `${name}: the cluster has not begun` }
  }
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing')
  if (progressing?.reason === 'ProgressDeadlineExceeded') {
    return { state: 'failed', says: `${name}: ${progressing.message ?? 'no progress'}` }
  }
  const { updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status
  if (updatedReplicas < wanted || replicas > updatedReplicas || availableReplicas < wanted) {
    const says = `${name}: ${updatedReplicas} of ${wanted} pods are new, ${availableReplicas} available`
    return { state: 'going', says }
  }
  return { state: 'done' }
}
