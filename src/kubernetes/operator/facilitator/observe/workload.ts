import type { Condition } from '../../../runtime/objects/conditions.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'

/** The state of a Deployment, by its status. */
export interface Workload {
  readonly replicas: number
  readonly ready: number
  readonly updated: number
  /** Whether the status is about the present spec. */
  readonly isCurrent: boolean
  readonly isStalled: boolean
  /** Whether its last rollout is complete: pods that are missing were lost since. */
  readonly isComplete: boolean
}

interface Status {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly readyReplicas?: number
  readonly updatedReplicas?: number
  readonly conditions?: readonly Partial<Condition>[]
}

const noWorkload: Workload = {
  replicas: 0,
  ready: 0,
  updated: 0,
  isCurrent: false,
  isStalled: false,
  isComplete: false,
}

export function workloadOf(deployment: AnyObject | undefined): Workload {
  if (!deployment) return noWorkload
  const status: Status = deployment.status ?? {}
  const progress = status.conditions?.find(({ type }) => type === 'Progressing')?.reason
  return {
    replicas: status.replicas ?? 0,
    ready: status.readyReplicas ?? 0,
    updated: status.updatedReplicas ?? 0,
    isCurrent: status.observedGeneration === deployment.metadata.generation,
    isStalled: progress === 'ProgressDeadlineExceeded',
    isComplete: progress === 'NewReplicaSetAvailable',
  }
}

/** Whether all pods run the latest spec, and no other pod is left. */
export const isRolledOut = (
  { replicas, ready, updated, isCurrent }: Workload,
  desired: number,
): boolean => isCurrent && updated === desired && replicas === desired && ready === desired

/** How a Job is. */
export type JobState =
  | { readonly state: 'Missing' | 'Running' }
  | { readonly state: 'Succeeded' | 'Failed'; readonly finishedAt: string | undefined }

export function jobStateOf(job: AnyObject): JobState {
  const status: Status & { readonly completionTime?: string } = job.status ?? {}
  const isTrue = (type: string) =>
    status.conditions?.find((condition) => condition.type === type && condition.status === 'True')
  const failed = isTrue('Failed')
  if (failed) return { state: 'Failed', finishedAt: failed.lastTransitionTime }
  const done = isTrue('Complete')
  if (!done) return { state: 'Running' }
  return { state: 'Succeeded', finishedAt: status.completionTime ?? done.lastTransitionTime }
}

/** Only events say why a Job cannot create its pods, and they are not watched. */
export const NO_PODS_AFTER_MS = 10_000

/** Whether a Job has, or had, a pod. */
export const hasPods = ({ status = {} }: AnyObject): boolean =>
  ['active', 'succeeded', 'failed', 'terminating'].some((count) => Number(status[count] ?? 0) > 0)
