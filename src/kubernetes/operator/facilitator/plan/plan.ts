import { labels } from '../../../crd/names/marks.ts'
import { type DesiredObject, isBeingDeleted } from '../../../runtime/objects/resource.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import { isOptional, kindOf, type OptionalKind } from '../../watches/child-kinds.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import { isRolledOut, type JobState, workloadOf } from '../observe/workload.ts'
import type { Rendered, Rollout } from '../render/render.ts'
import { type GateJob, planGateJob, planPreflight } from './gate-jobs.ts'
import { liveDeployment, ownDeployment, replacesPods } from './rollout-change.ts'

/** The steps for the children, in this order. */
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
  rendered: Rendered,
): FacilitatorPlan {
  const isServed = (object: DesiredObject) => {
    const kind = kindOf(object)
    return !isOptional(kind) || observed.serves(kind)
  }
  const unserved = rendered.independent.filter((object) => !isServed(object)).map(kindOf)
  const migration = planGateJob(observed, rendered.migration)
  const isMigrated = migration.result.state === 'Succeeded'
  const replacing = rendered.rollouts.filter((rollout) => replacesPods(observed, rollout))
  const preflight = isMigrated ? planPreflight(observed, rendered, replacing) : undefined
  const isChecked = !preflight || preflight.result.state === 'Succeeded'
  const mayRollOut = ({ part }: Rollout) => isMigrated && (isChecked || part.name !== 'Facilitator')
  const whilePreflight = preflight ? rendered.whilePreflight : []
  const jobs = [migration, ...(preflight ? [preflight] : [])]
  const retries = jobs.flatMap(({ retryMs }) => retryMs ?? [])
  return {
    independent: [...rendered.independent.filter(isServed), ...whilePreflight],
    migrate: migration.create,
    check: preflight?.create ? [rendered.rollouts[0].configMap, preflight.create] : [],
    rollouts: rendered.rollouts.filter(mayRollOut),
    replacing,
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

/** Scaling does not wait for a migration. */
function scalingOf(observed: ObservedFacilitator, rollout: Rollout): readonly Scaling[] {
  const deployment = ownDeployment(observed, rollout)
  const { replicas } = rollout.part
  if (!deployment || deployment.spec?.['replicas'] === replicas) return []
  return [{ deployment, replicas }]
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
function isDone(observed: ObservedFacilitator, rollout: Rollout): boolean {
  const live = liveDeployment(observed, rollout)
  const { part, configMap } = rollout
  const runs = JSON.stringify(live?.spec ?? {}).includes(`"${configMap.metadata.name}"`)
  return runs && isRolledOut(workloadOf(live), part.replicas)
}
