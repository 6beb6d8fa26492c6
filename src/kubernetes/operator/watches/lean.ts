import { annotations as known } from '../../crd/names/marks.ts'
import type { KubeObject } from '../../runtime/objects/resource.ts'
import { marksOf } from './bounded.ts'

const names = Object.values(known)

/**
 * A `transform` for objects that users write: of their annotations the cache holds those that the operator reads, unless they are long.
 * All together may have 256 KiB, and that of `kubectl apply` repeats the whole object.
 */
export function lean<T extends KubeObject>(object: T): T {
  const { annotations, ...metadata } = object.metadata
  const kept = marksOf(annotations, names)
  return {
    ...object,
    metadata: { ...metadata, ...(Object.keys(kept).length > 0 && { annotations: kept }) },
  }
}
