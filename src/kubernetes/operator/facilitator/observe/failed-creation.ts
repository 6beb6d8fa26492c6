/** Why a Deployment or a Job has no pods: a quota, a missing PriorityClass, an admission webhook. */
import { labels } from '../../../crd/names/marks.ts'
import type { KubeClient } from '../../../runtime/client/client.ts'
import { isKubeError } from '../../../runtime/client/kube-error.ts'
import {
  isBeingDeleted,
  type KubeObject,
  type ResourceType,
} from '../../../runtime/objects/resource.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import type { FailingPod } from '../../watches/failing-pods.ts'
import { MIGRATION, PREFLIGHT } from '../spec/child-metadata.ts'
import { hasPods, jobStateOf, NO_PODS_AFTER_MS } from './workload.ts'

interface JobEvent extends KubeObject {
  readonly note?: string
  readonly series?: { readonly lastObservedTime?: string }
  readonly eventTime?: string | null
  readonly deprecatedLastTimestamp?: string | null
}

const eventType: ResourceType<JobEvent> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
}

const REASON = 'FailedCreate'
const MAX_MESSAGE_LENGTH = 512
const EVENTS_OF_PAGE = 500

const failureOf = ({ metadata }: AnyObject, message: string): FailingPod => ({
  name: metadata.name,
  component: metadata.labels?.[labels.component] ?? '',
  reason: REASON,
  message: message.slice(0, MAX_MESSAGE_LENGTH),
})

/** The pods that a Deployment cannot create, from its conditions. */
export const failedReplicas = (owned: readonly AnyObject[]): readonly FailingPod[] =>
  owned.flatMap((object) => {
    if (object.kind !== 'Deployment') return []
    const conditions: readonly { type: string; status: string; message?: string }[] =
      Object(object.status).conditions ?? []
    const failure = conditions.find(
      ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
    )
    return failure ? [failureOf(object, failure.message ?? '')] : []
  })

/**
 * By the events of the newest Job of each component that has no pod some seconds after it was created: a Job has no condition for that.
 * Anybody may create Jobs that count as the Facilitator's, and each would take a request from all tenants. Without the permission to
 * list events it finds none.
 */
export async function failedJobs(
  owned: readonly AnyObject[],
  now: number,
  client: Pick<KubeClient, 'list'>,
  signal: AbortSignal,
): Promise<readonly FailingPod[]> {
  const found: FailingPod[] = []
  // One after the other: a pass has one request in flight.
  for (const component of [MIGRATION, PREFLIGHT]) {
    const job = newestJob(owned, component)
    if (!job || !isWaiting(job, now)) continue
    const message = await lastFailure(job, client, signal)
    if (message !== undefined) found.push(failureOf(job, message))
  }
  return found
}

const createdAt = ({ metadata }: AnyObject): number =>
  Date.parse(metadata.creationTimestamp ?? '') || 0

const newestJob = (owned: readonly AnyObject[], component: string): AnyObject | undefined =>
  owned
    .filter(
      (job) =>
        job.kind === 'Job' &&
        !isBeingDeleted(job) &&
        job.metadata.labels?.[labels.component] === component,
    )
    .toSorted((a, b) => createdAt(a) - createdAt(b))
    .at(-1)

const isWaiting = (job: AnyObject, now: number): boolean =>
  jobStateOf(job).state === 'Running' && !hasPods(job) && now - createdAt(job) >= NO_PODS_AFTER_MS

async function lastFailure(
  { metadata: { namespace, uid } }: AnyObject,
  client: Pick<KubeClient, 'list'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const fieldSelector = `regarding.uid=${uid},reason=${REASON}`
  try {
    const selection = { fieldSelector, ...(namespace !== undefined && { namespace }) }
    let last: LastFailure | undefined
    // A client that may create events may create many, and large ones: each is dropped as it arrives, so that a page may be long.
    const transform = (event: JobEvent): JobEvent => {
      const at = timeOf(event)
      if (!last || at > last.at) last = { at, note: event.note?.slice(0, MAX_MESSAGE_LENGTH) }
      return dropped
    }
    await client.list(eventType, { ...selection, transform, pageSize: EVENTS_OF_PAGE, signal })
    return last?.note
  } catch (error) {
    if (isKubeError(error, 'forbidden')) return undefined
    throw error
  }
}

interface LastFailure {
  readonly at: string
  readonly note: string | undefined
}

/** Held for each event. */
const dropped: JobEvent = {
  apiVersion: '',
  kind: '',
  metadata: { name: '', uid: '', resourceVersion: '' },
}

const timeOf = ({ series, deprecatedLastTimestamp, eventTime, metadata }: JobEvent): string =>
  series?.lastObservedTime ??
  deprecatedLastTimestamp ??
  eventTime ??
  metadata.creationTimestamp ??
  ''
