import type { Facilitator } from '../../crd/facilitator.ts'
import { finalizer, annotations as known } from '../../crd/names/marks.ts'
import { hasFinalizer } from '../../runtime/apply/finalizers.ts'
import { identityOf } from '../../runtime/objects/metadata-only.ts'
import type { KubeObject } from '../../runtime/objects/resource.ts'
import { marksOf } from './bounded.ts'
import { isWithin, type SizeLimit } from './size.ts'

const names = Object.values(known)

/**
 * A `transform` for objects that users write: of their metadata the cache holds what the operator reads, unless it is long. Labels,
 * annotations, owners and finalizers may have 1.5 MB together. The definition of a ChannelPool bounds all else to 50,000 characters.
 */
export function lean<T extends KubeObject>(object: T): T {
  const { generation, creationTimestamp, deletionTimestamp, annotations } = object.metadata
  const kept = marksOf(annotations, names)
  return {
    ...object,
    metadata: {
      ...identityOf(object).metadata,
      ...(generation !== undefined && { generation }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(Object.keys(kept).length > 0 && { annotations: kept }),
      ...(hasFinalizer(object, finalizer) && { finalizers: [finalizer] }),
    },
  }
}

/**
 * Half of what a child may have: the Deployment of a Facilitator has its pod template and 10,000 characters more, and the operator has to
 * hold it. The spec of a busy Facilitator has some 3,000.
 */
export const SPEC_LIMIT: SizeLimit = { characters: 32_768, values: 2_048 }

/**
 * A `transform` for Facilitators. Parts of their spec, such as an affinity, have no bound in the definition. Of a larger spec the cache
 * holds what pools depend on, which the definition bounds: such an object `isReduced`.
 */
export function leanFacilitator(facilitator: Facilitator): Facilitator {
  const held = lean(facilitator)
  if (isWithin(held.spec, SPEC_LIMIT)) return held
  const { networks, replicas } = held.spec
  return {
    ...held,
    spec: { networks, replicas } as Facilitator['spec'],
    isReduced: true,
  } as Facilitator
}
