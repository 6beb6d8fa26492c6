/** The Jobs that have to succeed before pods are replaced: the migration of the database, and the preflight. */
import { childName } from '../../../crd/names/child-name.ts'
import { childAnnotations } from '../../../crd/names/marks.ts'
import { planApply } from '../../../runtime/apply/plan-apply.ts'
import { type DesiredObject, isBeingDeleted } from '../../../runtime/objects/resource.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import { hasPods, type JobState, jobStateOf, NO_PODS_AFTER_MS } from '../observe/workload.ts'

/** What to do about one of these Jobs, and how its last attempt is. */
export interface GateJob {
  /** Name of the last attempt, or of the first one to come. */
  readonly name: string
  /** 1 for the first attempt. */
  readonly attempt: number
  readonly result: JobState
  readonly create: DesiredObject | undefined
  readonly remove: readonly AnyObject[]
  /** Names of the attempts that stay: that of a failed one, with its logs, until the next one has begun. */
  readonly keep: readonly string[]
  /** Milliseconds until a failed attempt is repeated, or one without pods is looked at again. */
  readonly retryMs: number | undefined
}

const MINUTE_MS = 60_000
const MAX_WAIT_MINUTES = 30

/** Attempts have names of their own, so that the logs of a failed one stay until the next one begins. */
export function attemptOf(first: DesiredObject, attempt: number): DesiredObject {
  if (attempt === 1) return first
  const { metadata } = first
  const name = childName(metadata.name, String(attempt))
  const annotations = {
    ...metadata.annotations,
    [childAnnotations.attempt]: String(attempt),
  }
  return { ...first, metadata: { ...metadata, name, annotations } }
}

const numberOf = ({ metadata }: AnyObject): number =>
  Number(metadata.annotations?.[childAnnotations.attempt] ?? 1)

/** The pause before a retry is 2, 4, 8 ... minutes, at most 30: the cause, such as a database that does not answer, may have passed. */
const waitMs = (attempt: number): number =>
  Math.min(2 ** Math.min(attempt, 10), MAX_WAIT_MINUTES) * MINUTE_MS

/**
 * @param first the first attempt, as rendered
 * @param causeEndedAt when something happened that may let a failed attempt succeed now, in Unix ms
 */
export function planGateJob(
  observed: ObservedFacilitator,
  first: DesiredObject,
  causeEndedAt = Number.NEGATIVE_INFINITY,
): GateJob {
  const live = observed.owned
    .filter(({ kind, metadata }) => kind === 'Job' && !isBeingDeleted({ kind, metadata } as never))
    .filter((job) => job.metadata.name === attemptOf(first, numberOf(job)).metadata.name)
    .toSorted((one, other) => numberOf(one) - numberOf(other))
    .at(-1)
  if (!live) {
    const { name } = first.metadata
    const result: JobState = { state: 'Missing' }
    const none = { remove: [], retryMs: undefined }
    return { name, attempt: 1, result, create: first, keep: [name], ...none }
  }
  const attempt = numberOf(live)
  const result = jobStateOf(live)
  const { name } = live.metadata
  const job = { name, attempt, result, create: undefined, remove: [], keep: [name] }
  if (result.state === 'Succeeded') return { ...job, retryMs: undefined }
  if (isOutdated(observed, attemptOf(first, attempt), live)) {
    return { ...job, remove: [live], retryMs: undefined }
  }
  if (result.state !== 'Failed') {
    return { ...job, retryMs: hasPods(live) ? undefined : NO_PODS_AFTER_MS }
  }
  const finishedAt = Date.parse(result.finishedAt ?? '') || 0
  const retryMs = causeEndedAt > finishedAt ? 0 : finishedAt + waitMs(attempt) - observed.now
  if (retryMs > 0) return { ...job, retryMs }
  const create = attemptOf(first, attempt + 1)
  return { ...job, create, keep: [name, create.metadata.name], retryMs: undefined }
}

/** A Job cannot be changed: before it has succeeded, one that differs from the desired Job is replaced. */
function isOutdated(observed: ObservedFacilitator, desired: DesiredObject, live: AnyObject) {
  const hashAnnotation = childAnnotations.desiredHash
  const plan = planApply({ desired, live, owner: observed.facilitator, hashAnnotation })
  return plan.do === 'change' && plan.because === hashAnnotation
}
