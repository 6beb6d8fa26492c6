import { childAnnotations, labels } from '../../api/marks.ts'
import { controllerOf } from '../../kube/owners.ts'
import { planApply } from '../../kube/plan-apply.ts'
import { type DesiredObject, isBeingDeleted, keyOf } from '../../kube/resource.ts'
import type { AnyObject } from '../../kube/well-known.ts'
import { isOptional, kindOf, type OptionalKind } from './children.ts'
import type { DesiredFacilitator } from './desired.ts'
import type { ObservedFacilitator } from './observe.ts'
import { type Rendered, type Rollout, render } from './render.ts'
import { isRolledOut, type Migration, migrationOf, workloadOf } from './workload.ts'

/** What to do with the children, in this order. */
export interface FacilitatorPlan {
  /** Objects that do not depend on the version of the database. */
  readonly independent: readonly DesiredObject[]
  /** The migration Job, where it has to be created. */
  readonly migrate: DesiredObject | undefined
  /** Empty until the database is migrated. */
  readonly rollouts: readonly Rollout[]
  /** Deployments that change their number of pods and nothing else. */
  readonly scale: readonly Scaling[]
  readonly remove: readonly AnyObject[]
  readonly job: string
  readonly migration: Migration
  /** Desired kinds that the cluster does not serve. */
  readonly unserved: readonly OptionalKind[]
  /** Milliseconds until a failed migration is retried. */
  readonly retryMs: number | undefined
  /** `RolloutSlots` took the rollouts out: other Facilitators go first. */
  readonly isHeld?: true
}

interface Scaling {
  readonly deployment: AnyObject
  readonly replicas: number
}

/** The cause, such as a database that does not answer, may have passed. */
const RETRY_MIGRATION_MS = 120_000

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
  const job = find(observed, rendered.migration)
  const migration = migrationOf(job)
  const isMigrated = migration.state === 'Succeeded'
  const isOutdated = job !== undefined && mustRecreateJob(observed, rendered.migration, job)
  return {
    independent: rendered.independent.filter(isServed),
    migrate: job ? undefined : rendered.migration,
    rollouts: isMigrated ? rendered.rollouts : [],
    scale: isMigrated ? [] : rendered.rollouts.flatMap((rollout) => scalingOf(observed, rollout)),
    remove: [...undesired(observed, rendered, isMigrated), ...(isOutdated ? [job] : [])],
    job: rendered.migration.metadata.name,
    migration,
    unserved: [...new Set(unserved)].filter(isOptional),
    retryMs: migration.state === 'Failed' ? retryIn(migration.finishedAt, observed.now) : undefined,
  }
}

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

/** A Job cannot be changed: before it has succeeded, one that differs from the desired Job is replaced. */
function mustRecreateJob(
  observed: ObservedFacilitator,
  desired: DesiredObject,
  live: AnyObject,
): boolean {
  const migration = migrationOf(live)
  if (migration.state === 'Succeeded' || isBeingDeleted(live)) return false
  if (migration.state === 'Failed' && retryIn(migration.finishedAt, observed.now) <= 0) return true
  const hashAnnotation = childAnnotations.desiredHash
  const plan = planApply({ desired, live, owner: observed.facilitator, hashAnnotation })
  return plan.do === 'change' && plan.because === hashAnnotation
}

const retryIn = (finishedAt: string | undefined, now: number): number =>
  finishedAt === undefined ? 0 : Date.parse(finishedAt) + RETRY_MIGRATION_MS - now

/** Objects that the Facilitator controls and that its spec no longer asks for. */
function undesired(
  observed: ObservedFacilitator,
  rendered: Rendered,
  isMigrated: boolean,
): readonly AnyObject[] {
  const objects = [
    ...rendered.independent,
    rendered.migration,
    ...rendered.rollouts.flatMap(({ configMap, deployment }) => [configMap, deployment]),
  ]
  const names = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
  const rolling = new Set(
    rendered.rollouts
      .filter((rollout) => !isMigrated || !isDone(observed, rollout))
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
