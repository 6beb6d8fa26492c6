import type { Attempt } from '../cluster/attempt.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { FacilitatorObject } from '../cluster/kinds.ts'
import { getFacilitator, listFacilitators } from '../status/facts.ts'

/** There is no such object here, or it cannot be read; the message says what to do. */
export class NotHere extends Error {
  override readonly name = 'NotHere'
}

/** The named Facilitator, or those of the namespace when none is named. Throws NotHere, ClusterUnreachable. */
export async function findFacilitators(
  cluster: Cluster,
  name: string | undefined,
): Promise<readonly FacilitatorObject[]> {
  const { namespace } = cluster
  if (name !== undefined) {
    const found = await getFacilitator(cluster, namespace, name)
    return [required(found, `Facilitator ${name} in the namespace ${namespace}`)]
  }
  const all = required(
    await listFacilitators(cluster, namespace),
    `the Facilitators of the namespace ${namespace}`,
  )
  if (all.length > 0) return all
  throw new NotHere(
    `There is no Facilitator in the namespace ${namespace}. Name another one with --namespace; kubectl get facilitators -A lists all.`,
  )
}

/** The only Facilitator of the namespace, or the named one. Throws NotHere, ClusterUnreachable. */
export async function findFacilitator(
  cluster: Cluster,
  name: string | undefined,
): Promise<FacilitatorObject> {
  const [first, ...others] = await findFacilitators(cluster, name)
  if (first && others.length === 0) return first
  const names = [first, ...others].map((each) => each?.metadata.name).join(', ')
  throw new NotHere(
    `The namespace ${cluster.namespace} has several Facilitators: ${names}. Name one of them.`,
  )
}

export function required<T>(attempted: Attempt<T>, what: string): T {
  if ('value' in attempted) return attempted.value
  if (attempted.isAbsent) {
    throw new NotHere(
      `There is no ${what}, or the cluster does not have the definitions of these resources. kubectl get crds lists them.`,
    )
  }
  throw new NotHere(`Cannot read ${what}: ${attempted.why}. docs/kubectl-svc.md lists the rights.`)
}
