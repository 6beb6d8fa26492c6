import type { FacilitatorReason } from '../../api/facilitator-conditions.ts'
import type { Applier } from '../../kube/apply.ts'
import type { KubeClient } from '../../kube/client.ts'
import { isKubeError, type KubeError } from '../../kube/kube-error.ts'
import { type DesiredObject, keyOf } from '../../kube/resource.ts'
import { kindOf, typeOf } from './children.ts'
import type { FacilitatorPlan } from './plan.ts'
import type { FacilitatorView } from './view.ts'

/** A child that could not be written. The others were. */
export interface Trouble {
  readonly reason: Extract<FacilitatorReason, 'ChildNotOurs' | 'ChildRejected' | 'Forbidden'>
  readonly message: string
}

export interface Hands {
  readonly applier: Applier
  readonly client: Pick<KubeClient, 'delete' | 'patch'>
}

/**
 * Writes what differs, and deletes what is not wanted. Throws KubeErrors that say nothing about one child:
 * conflicts, and a server that does not answer.
 */
export async function carryOut(
  plan: FacilitatorPlan,
  view: FacilitatorView,
  hands: Hands,
  signal: AbortSignal,
): Promise<readonly Trouble[]> {
  const troubles: Trouble[] = []
  const put = async (object: DesiredObject): Promise<boolean> => {
    const trouble = await write(object, view, hands, signal)
    if (trouble) troubles.push(trouble)
    return trouble === undefined
  }
  for (const object of plan.around) await put(object)
  if (plan.migrate) await put(plan.migrate)
  for (const { configMap, deployment } of plan.rollouts) {
    if (await put(configMap)) await put(deployment)
  }
  for (const { deployment, replicas } of plan.scale) {
    const { uid, resourceVersion } = deployment.metadata
    const merge = { metadata: { uid, resourceVersion }, spec: { replicas } }
    await hands.client.patch(typeOf('Deployment'), deployment.metadata, merge, { signal })
  }
  for (const { kind, metadata } of plan.remove) {
    const type = typeOf(kindOf({ apiVersion: '', kind, metadata }))
    const { uid } = metadata
    await hands.client.delete(type, metadata, { uid, signal })
  }
  return troubles
}

async function write(
  desired: DesiredObject,
  view: FacilitatorView,
  { applier }: Hands,
  signal: AbortSignal,
): Promise<Trouble | undefined> {
  const kind = kindOf(desired)
  const live = view.find(kind, keyOf(desired.metadata))
  const request = { type: typeOf(kind), desired, live, owner: view.facilitator, signal }
  try {
    const result = await applier.apply(request)
    if (result.result !== 'refused' || result.reason !== 'OwnedByAnother') return undefined
    return { reason: 'ChildNotOurs', message: `${result.message}: rename or delete it.` }
  } catch (error) {
    if (!isKubeError(error, 'invalid', 'forbidden')) throw error
    return troubleOf(error, desired)
  }
}

function troubleOf(error: KubeError, { kind, metadata }: DesiredObject): Trouble {
  const what = `${kind} ${metadata.name}`
  if (error.kind === 'forbidden') {
    return { reason: 'Forbidden', message: `The operator may not write ${what}: ${error.message}` }
  }
  // Two controllers of one object is what only the server sees of an object without our labels.
  if (/Only one reference can have Controller set to true/.test(error.message)) {
    const message = `${what} belongs to somebody else: rename or delete it.`
    return { reason: 'ChildNotOurs', message }
  }
  return { reason: 'ChildRejected', message: `The cluster refused ${what}: ${error.message}` }
}
