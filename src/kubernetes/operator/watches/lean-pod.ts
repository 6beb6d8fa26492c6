import { labels } from '../../crd/names/marks.ts'
import { identityOf } from '../../runtime/objects/metadata-only.ts'
import type { Pod } from './failing-pods.ts'

/** Characters of JSON. What containers leave as their messages has 12 KiB in one pod. */
const LONGEST_STATUS = 32_768

/** A `transform` that keeps what `failureOf` and `noteOf` read. A tenant may give our labels to any pod. */
export function leanPod(pod: Pod): Pod {
  const identity = identityOf(pod)
  const { deletionTimestamp } = pod.metadata
  const status = statusOf(pod)
  const kept = Object.entries(pod.metadata.labels ?? {}).filter(
    ([name]) => name === labels.facilitator || name === labels.component,
  )
  return {
    ...identity,
    metadata: {
      ...identity.metadata,
      labels: Object.fromEntries(kept),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    ...(JSON.stringify(status).length <= LONGEST_STATUS && { status }),
  }
}

function statusOf({ status }: Pod): NonNullable<Pod['status']> {
  const { conditions = [], containerStatuses = [] } = status ?? {}
  return {
    conditions: conditions.filter(({ type }) => type === 'PodScheduled'),
    containerStatuses: containerStatuses.map(({ ready, state, lastState }) => ({
      ...(ready !== undefined && { ready }),
      ...(state && { state }),
      ...(lastState && { lastState }),
    })),
  }
}
