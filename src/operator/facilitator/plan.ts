import { childAnnotations, labels } from '../../api/marks.ts'
import { controllerOf } from '../../kube/owners.ts'
import { planApply } from '../../kube/plan-apply.ts'
import { type DesiredObject, isBeingDeleted, keyOf } from '../../kube/resource.ts'
import type { AnyObject } from '../../kube/well-known.ts'
import { isOptional, kindOf, type OptionalKind } from './children.ts'
import type { Rendered, Rollout } from './render.ts'
import { render } from './render.ts'
import type { FacilitatorView } from './view.ts'
import type { Wanted } from './wanted.ts'
import { isRolledOut, type Migration, migrationOf, workloadOf } from './workload.ts'

/** What to do with the children, in this order. */
export interface FacilitatorPlan {
  readonly around: readonly DesiredObject[]
  /** The Job, where it has to be made. */
  readonly migrate: DesiredObject | undefined
  /** Empty until the database is up to date. */
  readonly rollouts: readonly Rollout[]
  /** Deployments that get more or fewer pods of the kind that they have. */
  readonly scale: readonly Scaling[]
  readonly remove: readonly AnyObject[]
  readonly job: string
  readonly migration: Migration
  /** Kinds that are wanted and that the cluster does not know. */
  readonly unknown: readonly OptionalKind[]
  /** When a failed migration is tried again. */
  readonly retryMs: number | undefined
  /** The rollouts were taken out: others go first. */
  readonly isHeld?: true
}

export interface Scaling {
  readonly deployment: AnyObject
  readonly replicas: number
}

/** A database that was away may be back: nobody tells. */
export const RETRY_MIGRATION_MS = 120_000

/** Decides; touches nothing. */
export function planFacilitator(view: FacilitatorView, wanted: Wanted): FacilitatorPlan {
  const rendered = render(wanted)
  const isKnown = (object: DesiredObject) => {
    const kind = kindOf(object)
    return !isOptional(kind) || view.serves(kind)
  }
  const unknown = rendered.around.filter((object) => !isKnown(object)).map(kindOf)
  const job = find(view, rendered.migration)
  const migration = migrationOf(job)
  const isMigrated = migration.state === 'Succeeded'
  const isOver = job !== undefined && shallBeMadeAnew(view, rendered.migration, job)
  return {
    around: rendered.around.filter(isKnown),
    migrate: job ? undefined : rendered.migration,
    rollouts: isMigrated ? rendered.rollouts : [],
    scale: isMigrated ? [] : rendered.rollouts.flatMap((rollout) => scalingOf(view, rollout)),
    remove: [...unwanted(view, rendered, isMigrated), ...(isOver ? [job] : [])],
    job: rendered.migration.metadata.name,
    migration,
    unknown: [...new Set(unknown)].filter(isOptional),
    retryMs: migration.state === 'Failed' ? retryIn(migration.finishedAt, view.now) : undefined,
  }
}

const find = (view: FacilitatorView, object: DesiredObject): AnyObject | undefined =>
  view.find(kindOf(object), keyOf(object.metadata))

/** Load does not wait for a migration. */
function scalingOf(view: FacilitatorView, { part, deployment }: Rollout): readonly Scaling[] {
  const live = find(view, deployment)
  const { replicas } = part
  if (!live || isBeingDeleted(live) || live.spec?.['replicas'] === replicas) return []
  const isOurs = controllerOf(live)?.uid === view.facilitator.metadata.uid
  return isOurs ? [{ deployment: live, replicas }] : []
}

/** A Job cannot be changed. One that has not succeeded is made anew when it would be another one now. */
function shallBeMadeAnew(view: FacilitatorView, desired: DesiredObject, live: AnyObject): boolean {
  const migration = migrationOf(live)
  if (migration.state === 'Succeeded' || isBeingDeleted(live)) return false
  if (migration.state === 'Failed' && retryIn(migration.finishedAt, view.now) <= 0) return true
  const hashAnnotation = childAnnotations.desiredHash
  const plan = planApply({ desired, live, owner: view.facilitator, hashAnnotation })
  return plan.do === 'change' && plan.because === hashAnnotation
}

const retryIn = (finishedAt: string | undefined, now: number): number =>
  finishedAt === undefined ? 0 : Date.parse(finishedAt) + RETRY_MIGRATION_MS - now

/** What the Facilitator controls and does not want any more. */
function unwanted(
  view: FacilitatorView,
  rendered: Rendered,
  isMigrated: boolean,
): readonly AnyObject[] {
  const objects = [
    ...rendered.around,
    rendered.migration,
    ...rendered.rollouts.flatMap(({ configMap, deployment }) => [configMap, deployment]),
  ]
  const names = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
  const rolling = new Set(
    rendered.rollouts
      .filter((rollout) => !isMigrated || !isDone(view, rollout))
      .map(({ part }) => part.component as string),
  )
  return view.owned.filter((object) => {
    const { kind, metadata } = object
    if (names.has(`${kind} ${metadata.name}`) || isBeingDeleted(object)) return false
    // Pods of the old kind may start again, and need theirs.
    return kind !== 'ConfigMap' || !rolling.has(metadata.labels?.[labels.component] ?? '')
  })
}

/** Whether the pods that run are those of this very rollout. */
function isDone(view: FacilitatorView, { part, deployment, configMap }: Rollout): boolean {
  const live = find(view, deployment)
  const runs = JSON.stringify(live?.spec ?? {}).includes(`"${configMap.metadata.name}"`)
  return runs && isRolledOut(workloadOf(live), part.replicas)
}
