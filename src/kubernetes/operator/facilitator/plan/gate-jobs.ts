/** The Jobs that have to succeed before pods are replaced: the migration of the database, and the preflight. */
import { childName } from '../../../crd/names/child-name.ts'
import { childAnnotations, isMarked } from '../../../crd/names/marks.ts'
import { findCondition } from '../../../runtime/objects/conditions.ts'
import { type DesiredObject, isBeingDeleted } from '../../../runtime/objects/resource.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import {
  hasPods,
  type JobState,
  jobStateOf,
  NO_PODS_AFTER_MS,
  workloadOf,
} from '../observe/workload.ts'
import type { Rendered, Rollout } from '../render/render.ts'
import { PREFLIGHT } from '../spec/child-metadata.ts'
import { changeOfChild, ownDeployment } from './rollout-change.ts'

/** The step for one of these Jobs, and the state of its last attempt. */
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
    .filter((object) => object.kind === 'Job' && !isBeingDeleted(object))
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
const isOutdated = (observed: ObservedFacilitator, desired: DesiredObject, live: AnyObject) =>
  changeOfChild(observed, desired, live) === childAnnotations.desiredHash

/** `svc` ends with it when it does not know a command: the image is older than `svc preflight`. */
const EX_USAGE = 64

/**
 * The Job that has to succeed before facilitator pods are replaced; undefined where none is needed.
 * @param replacing the rollouts that replace pods
 */
export function planPreflight(
  observed: ObservedFacilitator,
  { preflight, rollouts: [rollout] }: Rendered,
  replacing: readonly Rollout[],
): GateJob | undefined {
  if (!replacing.includes(rollout) || !isNeeded(observed, rollout)) return undefined
  const job = planGateJob(observed, preflight, poolsReadySince(observed))
  const isUnknown = observed.failing.some(
    ({ component, exitCode }) => component === PREFLIGHT && exitCode === EX_USAGE,
  )
  if (job.result.state !== 'Failed' || !isUnknown) return job
  const { finishedAt } = job.result
  return {
    ...job,
    result: { state: 'Succeeded', finishedAt },
    create: undefined,
    retryMs: undefined,
  }
}

/** Only pods that serve are protected: where none does, new ones can make nothing worse. */
function isNeeded(observed: ObservedFacilitator, rollout: Rollout): boolean {
  const live = ownDeployment(observed, rollout)
  if (!live || isMarked(observed.facilitator, 'skipPreflight')) return false
  return workloadOf(live).ready > 0 && !isKnownToSettle(live, rollout)
}

/** Whether the pods before were checked with the same image, secrets and addresses: only other settings differ. */
function isKnownToSettle(live: AnyObject, { deployment }: Rollout): boolean {
  const { preflightHash } = childAnnotations
  const before = live.metadata.annotations?.[preflightHash]
  return before !== undefined && before === deployment.metadata.annotations?.[preflightHash]
}

/** When the last of the pools became Ready, in Unix ms: before, their channels may have been what was missing. */
function poolsReadySince({ pools }: ObservedFacilitator): number {
  const times = [...pools.values()].map(({ status }) => {
    const ready = findCondition(status?.conditions, 'Ready')
    return ready?.status === 'True' ? Date.parse(ready.lastTransitionTime) : Number.NaN
  })
  return times.some(Number.isNaN) ? Number.NEGATIVE_INFINITY : Math.max(...times)
}
