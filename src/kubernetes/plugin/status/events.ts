import { isoTime } from '../../../platform/core/text/iso-time.ts'
import type { KubeObject, ResourceType } from '../../runtime/objects/resource.ts'
import { type Attempt, attempt } from '../cluster/attempt.ts'
import type { Cluster } from '../cluster/cluster.ts'

interface EventObject extends KubeObject {
  readonly involvedObject: { readonly kind: string; readonly name: string }
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string }
  readonly eventTime?: string | null
  readonly lastTimestamp?: string | null
}

export interface EventFacts {
  /** ISO 8601, of the last occurrence. */
  readonly at: string
  readonly type: string
  readonly reason: string
  /** Kind and name of the object: `Pod payments-facilitator-1`. */
  readonly about: string
  readonly message: string
  readonly count: number
}

/** Events of both APIs: the server shows those of `events.k8s.io` here too. */
const eventType: ResourceType<EventObject> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
}

/** The events of a namespace about the objects that `isOurs` names, newest first. */
export async function listEvents(
  { client }: Cluster,
  namespace: string,
  isOurs: (kind: string, name: string) => boolean,
): Promise<Attempt<readonly EventFacts[]>> {
  return attempt({ verb: 'list', resource: 'events', namespace }, async () => {
    const { items } = await client.list(eventType, { namespace })
    return items
      .filter(({ involvedObject: { kind, name } }) => isOurs(kind, name))
      .map(eventFacts)
      .sort((one, other) => other.at.localeCompare(one.at))
  })
}

function eventFacts(event: EventObject): EventFacts {
  const { involvedObject, series, metadata } = event
  const at =
    series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? metadata.creationTimestamp
  return {
    at: isoTime(Date.parse(at ?? '') || 0),
    type: event.type ?? 'Normal',
    reason: event.reason ?? '',
    about: `${involvedObject.kind} ${involvedObject.name}`,
    message: event.message ?? '',
    count: series?.count ?? event.count ?? 1,
  }
}
