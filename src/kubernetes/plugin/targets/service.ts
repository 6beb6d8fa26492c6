import { childName } from '../../crd/names/child-name.ts'
import { wellKnown } from '../../runtime/objects/well-known.ts'
import { attempt } from '../cluster/attempt.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { listPods, podFacts } from '../status/pods.ts'
import { NotHere, required } from './choose.ts'

/**
 * A ready pod behind the Service of a Facilitator, as the Service itself would choose one. Throws NotHere,
 * ClusterUnreachable.
 */
export async function podBehindService(
  cluster: Cluster,
  facilitator: string,
  namespace: string,
): Promise<string> {
  const name = childName(facilitator, 'facilitator')
  const service = required(
    await attempt({ verb: 'get', resource: 'services', namespace }, () =>
      cluster.client.get(wellKnown.service, { namespace, name }),
    ),
    `Service ${name} in the namespace ${namespace}`,
  )
  const selector: Readonly<Record<string, string>> = Object(service.spec?.['selector'])
  const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`)
  const pods = required(
    await listPods(cluster, namespace, labels.join(',')),
    `the pods of Service ${name}`,
  )
  const ready = pods.map(podFacts).find((pod) => pod.ready && !pod.ending)
  if (ready) return ready.name
  throw new NotHere(
    `No pod of Service ${name} is ready. kubectl svc status ${facilitator} says why.`,
  )
}
