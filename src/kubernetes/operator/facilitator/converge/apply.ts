import type { FacilitatorReason } from '../../../crd/facilitator/conditions.ts'
import type { Applier } from '../../../runtime/apply/apply.ts'
import type { KubeClient } from '../../../runtime/client/client.ts'
import { isKubeError, type KubeError } from '../../../runtime/client/kube-error.ts'
import { type DesiredObject, keyOf } from '../../../runtime/objects/resource.ts'
import { isReduced } from '../../watches/bounded.ts'
import { kindOf, typeOf } from '../../watches/child-kinds.ts'
import { ownedParts } from '../../watches/owned-parts.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import type { FacilitatorPlan } from '../plan/plan.ts'
import { type ForeignObjects, hintFor } from './foreign-objects.ts'
import { refusedChild } from './refused-child.ts'
import { MANAGED_TWICE, type SecondOperator } from './second-operator.ts'

/** A child that could not be written; the others were. */
export interface ChildFailure {
  readonly reason: Extract<
    FacilitatorReason,
    'ChildNotOurs' | 'ChildRejected' | 'Forbidden' | 'ManagedTwice'
  >
  readonly message: string
  /** Kind and name; undefined where none was written. */
  readonly object?: string
}

export interface ApplyDeps {
  readonly applier: Applier
  readonly client: Pick<KubeClient, 'delete' | 'patch'>
  readonly foreign: ForeignObjects
  readonly second: SecondOperator
}

/**
 * Writes the children that differ and deletes those that are not desired. Throws KubeErrors that concern no
 * single child: conflicts, and a server that does not answer.
 */
export async function applyPlan(
  plan: FacilitatorPlan,
  observed: ObservedFacilitator,
  deps: ApplyDeps,
  signal: AbortSignal,
): Promise<readonly ChildFailure[]> {
  if (deps.second.isActive(observed.facilitator, observed.owned)) {
    return [{ reason: 'ManagedTwice', message: MANAGED_TWICE }]
  }
  const failures: ChildFailure[] = []
  const writeChild = async (object: DesiredObject): Promise<boolean> => {
    const failure = await write(object, observed, deps, signal)
    if (failure) failures.push(failure)
    return failure === undefined
  }
  for (const object of plan.independent) await writeChild(object)
  if (plan.migrate) await writeChild(plan.migrate)
  for (const object of plan.check) await writeChild(object)
  for (const { configMap, deployment } of plan.rollouts) {
    if (await writeChild(configMap)) await writeChild(deployment)
  }
  for (const { deployment, replicas } of plan.scale) {
    const { uid, resourceVersion } = deployment.metadata
    const merge = { metadata: { uid, resourceVersion }, spec: { replicas } }
    await deps.client.patch(typeOf('Deployment'), deployment.metadata, merge, { signal })
  }
  for (const { kind, metadata } of plan.remove) {
    const type = typeOf(kindOf({ apiVersion: '', kind, metadata }))
    const { uid } = metadata
    await deps.client.delete(type, metadata, { uid, signal })
  }
  return failures
}

async function write(
  desired: DesiredObject,
  observed: ObservedFacilitator,
  { applier, foreign, second }: ApplyDeps,
  signal: AbortSignal,
): Promise<ChildFailure | undefined> {
  const kind = kindOf(desired)
  const { facilitator } = observed
  const cached = observed.find(kind, keyOf(desired.metadata))
  // Without a cached object the applier reads the live one.
  const live = cached && !isReduced(cached) ? cached : undefined
  // The cache shows only objects with our label, long ones without their content, so each look at another one is a request.
  const known = live ? undefined : foreign.find(facilitator, desired)
  const object = idOf(desired)
  if (known !== undefined) return { reason: 'ChildNotOurs', message: known, object }
  const owned = ownedParts(kind)
  const request = { type: typeOf(kind), desired, live, owner: facilitator, owned, signal }
  try {
    const result = await applier.apply(request)
    if (result.result === 'created' || result.result === 'changed') second.note(result.object)
    if (result.result !== 'refused') return undefined
    if (result.reason !== 'OwnedByAnother' && result.reason !== 'NotOurs') return undefined
    const message = `${result.message}: ${hintFor(result.reason, facilitator, desired)}`
    if (!live) foreign.note(facilitator, desired, message)
    return { reason: 'ChildNotOurs', message, object }
  } catch (error) {
    if (!isKubeError(error, 'invalid', 'forbidden')) throw error
    return failureOf(error, desired)
  }
}

const idOf = ({ kind, metadata }: DesiredObject): string => `${kind} ${metadata.name}`

function failureOf(error: KubeError, desired: DesiredObject): ChildFailure {
  const object = idOf(desired)
  if (error.kind === 'forbidden') {
    const message = `The operator may not write ${object}: ${error.message}`
    return { reason: 'Forbidden', message, object }
  }
  return { reason: 'ChildRejected', message: refusedChild(error, desired), object }
}
