import { GROUP } from '../../crd/names/group.ts'
import type { KubeObject } from '../../runtime/objects/resource.ts'

/**
 * A `transform` for objects that users write: of their annotations the cache holds those of this project alone. All together may have
 * 256 KiB, and that of `kubectl apply` repeats the whole object.
 */
export function lean<T extends KubeObject>(object: T): T {
  const { annotations, ...metadata } = object.metadata
  const own = Object.entries(annotations ?? {}).filter(([name]) => name.startsWith(`${GROUP}/`))
  const kept = own.length > 0 && { annotations: Object.fromEntries(own) }
  return { ...object, metadata: { ...metadata, ...kept } }
}
