import { labels } from '../../../crd/names/marks.ts'
import { controllerOf } from '../../../runtime/cache/owners.ts'
import { type DesiredObject, isBeingDeleted, keyOf } from '../../../runtime/objects/resource.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import { isOptional, kindOf, type OptionalKind } from '../../watches/child-kinds.ts'
import type { DesiredFacilitator } from '../desired/desired.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import { isRolledOut, type JobState, workloadOf } from '../observe/workload.ts'
import { type Rendered, type Rollout, render } from '../render/render.ts'
import { type GateJob, planGateJob } from './gate-jobs.ts'
import { planPreflight } from './preflight.ts'
import { replacesPods } from './template-change.ts'

/** What to do with the children, in this order. */
export interface FacilitatorPlan {
  /** Objects that do not depend on the version of the database. */
  readonly independent: readonly DesiredObject[]
  /** The migration Job, where it has to be created. */
  readonly migrate: DesiredObject | undefined
  /** The configuration that a preflight Job reads, and the Job, where it has to be created. */
  readonly check: readonly DesiredObject[]
  /** Empty until the database is migrated; without the facilitator pods until their preflight has succeeded. */
  readonly rollouts: readonly Rollout[]
  /** The rollouts of the spec that replace pods, whatever they wait for. */
  readonly replacing: readonly Rollout[]
  /** Deployments that change their number of pods and nothing else. */
  readonly scale: readonly Scaling[]
  readonly remove: readonly AnyObject[]
  readonly job: string
  readonly migration: JobState
  /** Undefined where no pod that serves is about to be replaced. */
  readonly preflight: GateJob | undefined
  /** Desired kinds that the cluster does not serve. */
  readonly unserved: readonly OptionalKind[]
  /** Milliseconds until a failed Job is retried, or one without pods looked at again. */
  readonly retryMs: number | undefined
  /** `RolloutSlots` took the Jobs and the rollouts out: other Facilitators go first. */
  readonly isHeld?: true
  /** The Facilitator of the same namespace on which the same change stalled. */
  readonly heldBy?: string
}

interface Scaling {
  readonly deployment: AnyObject
  readonly replicas: number
}

export function planFacilitator(
  observed: ObservedFacilitator,
  desired: DesiredFacilitator,
): FacilitatorPlan {
  const rendered = render(desired)
  const isServed = (object: DesiredObject) => {
    const kind = kindOf(object)
    return !isOptional(kind) || observed.serves(kind)
  }
  const unserved = rendered.independent.filter((object) => !isServed(object)).map(kindOf)
  const migration = planGateJob(observed, rendered.migration)
  const isMigrated = migration.result.state === 'Succeeded'
  const preflight = isMigrated ? planPreflight(observed, rendered) : undefined
  const isChecked = !preflight || preflight.result.state === 'Succeeded'
  const mayRollOut = ({ part }: Rollout) => isMigrated && (isChecked || part.name !== 'Facilitator')
  const whilePreflight = preflight ? rendered.whilePreflight : []
  const jobs = [migration, ...(preflight ? [preflight] : [])]
  const retries = jobs.flatMap(({ retryMs }) => retryMs ?? [])
  return {
    independent: [...rendered.independent.filter(isServed), ...whilePreflight],
    migrate: migration.create,
    check: preflight?.create ? [...configMapOf(rendered), preflight.create] : [],
    rollouts: rendered.rollouts.filter(mayRollOut),
    replacing: rendered.rollouts.filter((rollout) => replacesPods(observed, rollout)),
    scale: rendered.rollouts
      .filter((rollout) => !mayRollOut(rollout))
      .flatMap((rollout) => scalingOf(observed, rollout)),
    remove: [
      ...undesired(observed, { ...rendered, whilePreflight }, jobs, mayRollOut),
      ...jobs.flatMap(({ remove }) => remove),
    ],
    job: migration.name,
    migration: migration.result,
    preflight,
    unserved: [...new Set(unserved)].filter(isOptional),
    retryMs: retries.length > 0 ? Math.min(...retries) : undefined,
  }
}

const configMapOf = ({ rollouts: [first] }: Rendered): readonly DesiredObject[] =>
  first ? [first.configMap] : []

const find = (observed: ObservedFacilitator, object: DesiredObject): AnyObject | undefined =>
  observed.find(kindOf(object), keyOf(object.metadata))

/** Scaling does not wait for a migration. */
function scalingOf(
  observed: ObservedFacilitator,
  { part, deployment }: Rollout,
): readonly Scaling[] {
  const live = find(observed, deployment)
  const { replicas } = part
  if (!live || isBeingDeleted(live) || live.spec?.['replicas'] === replicas) return []
  const isOurs = controllerOf(live)?.uid === observed.facilitator.metadata.uid
  return isOurs ? [{ deployment: live, replicas }] : []
}

/** Objects that the Facilitator controls and that its spec no longer asks for. */
function undesired(
  observed: ObservedFacilitator,
  rendered: Rendered,
  jobs: readonly GateJob[],
  mayRollOut: (rollout: Rollout) => boolean,
): readonly AnyObject[] {
  const objects = [
    ...rendered.independent,
    ...rendered.whilePreflight,
    ...rendered.rollouts.flatMap(({ configMap, deployment }) => [configMap, deployment]),
  ]
  const names = new Set([
    ...objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ...jobs.flatMap(({ keep }) => keep.map((name) => `Job ${name}`)),
  ])
  const rolling = new Set(
    rendered.rollouts
      .filter((rollout) => !mayRollOut(rollout) || !isDone(observed, rollout))
      .map(({ part }) => part.component as string),
  )
  return observed.owned.filter((object) => {
    const { kind, metadata } = object
    if (names.has(`${kind} ${metadata.name}`) || isBeingDeleted(object)) return false
    // A pod of the previous rollout that restarts needs its own ConfigMap.
    return kind !== 'ConfigMap' || !rolling.has(metadata.labels?.[labels.component] ?? '')
  })
}

/** Whether every pod that runs belongs to this rollout. */
function isDone(observed: ObservedFacilitator, { part, deployment, configMap }: Rollout): boolean {
  const live = find(observed, deployment)
  const runs = JSON.stringify(live?.spec ?? {}).includes(`"${configMap.metadata.name}"`)
  return runs && isRolledOut(workloadOf(live), part.replicas)
}
