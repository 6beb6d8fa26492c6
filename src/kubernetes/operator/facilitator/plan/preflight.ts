import { childAnnotations, isMarked } from '../../../crd/names/marks.ts'
import { controllerOf } from '../../../runtime/cache/owners.ts'
import { findCondition } from '../../../runtime/objects/conditions.ts'
import { isBeingDeleted } from '../../../runtime/objects/resource.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import { workloadOf } from '../observe/workload.ts'
import type { Rendered, Rollout } from '../render/render.ts'
import { PREFLIGHT } from '../spec/child-metadata.ts'
import { type GateJob, planGateJob } from './gate-jobs.ts'
import { liveDeployment, replacesPods } from './template-change.ts'

/** `svc` ends with it when it does not know a command: the image is older than `svc preflight`. */
const EX_USAGE = 64

/** The Job that has to succeed before this rollout; undefined where none is needed. */
export function planPreflight(
  observed: ObservedFacilitator,
  rendered: Rendered,
): GateJob | undefined {
  const [rollout] = rendered.rollouts
  if (!rollout || !isNeeded(observed, rollout)) return undefined
  const job = planGateJob(observed, rendered.preflight, poolsReadySince(observed))
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
  const { facilitator } = observed
  const live = liveDeployment(observed, rollout)
  if (!live || isBeingDeleted(live) || isMarked(facilitator, 'skipPreflight')) return false
  const isOurs = controllerOf(live)?.uid === facilitator.metadata.uid
  if (!isOurs || workloadOf(live).ready === 0) return false
  return !isKnownToSettle(live, rollout) && replacesPods(observed, rollout)
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
