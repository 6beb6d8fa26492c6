import { annotations } from '../../crd/names/marks.ts'
import type { KubeObject, ResourceType } from '../../runtime/objects/resource.ts'
import { attempt } from '../cluster/attempt.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { facilitatorType, poolType, resourceOf } from '../cluster/kinds.ts'
import { required } from './choose.ts'

/** A Facilitator or a ChannelPool, as a person names it. */
export interface Target {
  readonly kind: 'Facilitator' | 'ChannelPool'
  readonly name: string
}

const typeOf = ({ kind }: Target): ResourceType =>
  kind === 'ChannelPool' ? poolType : facilitatorType

export const titleOf = ({ kind, name }: Target): string => `${kind} ${name}`

/**
 * Sets one annotation, or removes it with null. The patch has no other member, so it changes no field of another
 * writer. @returns whether the object had another value before. Throws NotHere, ClusterUnreachable.
 */
export async function annotate(
  cluster: Cluster,
  target: Target,
  annotation: 'paused' | 'restartedAt',
  value: string | null,
): Promise<{ readonly changed: boolean }> {
  const { client, namespace } = cluster
  const type = typeOf(target)
  const name = { namespace, name: target.name }
  const resource = resourceOf(type)
  const title = `${titleOf(target)} in the namespace ${namespace}`
  const read = () => client.get(type, name)
  const before = required(await attempt({ verb: 'get', resource, namespace }, read), title)
  const key = annotations[annotation]
  if ((before.metadata.annotations?.[key] ?? null) === value) return { changed: false }
  const patch = { metadata: { annotations: { [key]: value } } }
  const write = (): Promise<KubeObject> => client.patch(type, name, patch)
  required(await attempt({ verb: 'patch', resource, namespace }, write), title)
  return { changed: true }
}
