import type { AnyObject } from '../../kube/well-known.ts'

/** How a Deployment stands, as its controller told last. */
export interface Workload {
  readonly replicas: number
  readonly ready: number
  readonly updated: number
  /** Whether all of this is about its newest spec. */
  readonly isCurrent: boolean
  readonly isStalled: boolean
  /** Whether its last rollout came to its end: what is missing since then was lost. */
  readonly isOver: boolean
}

interface Status {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly readyReplicas?: number
  readonly updatedReplicas?: number
  readonly conditions?: readonly Condition[]
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

const nothing: Workload = {
  replicas: 0,
  ready: 0,
  updated: 0,
  isCurrent: false,
  isStalled: false,
  isOver: false,
}

export function workloadOf(deployment: AnyObject | undefined): Workload {
  if (!deployment) return nothing
  const status: Status = deployment.status ?? {}
  const progress = status.conditions?.find(({ type }) => type === 'Progressing')?.reason
  return {
    replicas: status.replicas ?? 0,
    ready: status.readyReplicas ?? 0,
    updated: status.updatedReplicas ?? 0,
    isCurrent: status.observedGeneration === deployment.metadata.generation,
    isStalled: progress === 'ProgressDeadlineExceeded',
    isOver: progress === 'NewReplicaSetAvailable',
  }
}

/** Whether every pod is of the newest kind, and no other is left. */
export const isRolledOut = (
  { replicas, ready, updated, isCurrent }: Workload,
  wanted: number,
): boolean => isCurrent && updated === wanted && replicas === wanted && ready === wanted

/** How the migration of the image and the database that are wanted stands. */
export type Migration =
  | { readonly state: 'Missing' | 'Running' }
  | { readonly state: 'Succeeded' | 'Failed'; readonly finishedAt: string | undefined }

export function migrationOf(job: AnyObject | undefined): Migration {
  if (!job) return { state: 'Missing' }
  const status: Status & { readonly completionTime?: string } = job.status ?? {}
  const turned = (type: string) =>
    status.conditions?.find((condition) => condition.type === type && condition.status === 'True')
  const failed = turned('Failed')
  if (failed) return { state: 'Failed', finishedAt: failed.lastTransitionTime }
  const done = turned('Complete')
  if (!done) return { state: 'Running' }
  return { state: 'Succeeded', finishedAt: status.completionTime ?? done.lastTransitionTime }
}
