import type { Transform } from '../client/pages.ts'
import { FairLruMap } from '../fair-lru-map.ts'
import { compareVersions, type KubeObject } from '../objects/resource.ts'

const MAX_OBJECTS = 1_000

/** The version that a write made, and the parts of the object that the operator writes until the cache has them. */
interface Written {
  readonly resourceVersion: string
  readonly parts?: {
    readonly metadata: Pick<KubeObject['metadata'], 'finalizers' | 'deletionTimestamp'>
    readonly status: unknown
  }
}

/**
 * Status and finalizers as the server returned them from the operator's last write. The cache shows a write a little
 * later: a reconcile that starts from its status or finalizers would undo its own last write. Of the rest of an object, which users write
 * and which may have 1.5 MB, nothing is held.
 */
export class OwnWrites {
  readonly #written = new FairLruMap<Written>(MAX_OBJECTS)
  readonly #transform: Transform<KubeObject>

  /** @param transform that of the cache, so that of what others wrote no more is held here. @default the whole object */
  constructor(transform: Transform<KubeObject> = (object) => object) {
    this.#transform = transform
  }

  note(written: KubeObject): void {
    const object = this.#transform(written)
    const { uid, namespace, resourceVersion, finalizers, deletionTimestamp } = object.metadata
    const metadata = {
      ...(finalizers && { finalizers }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    }
    const status = 'status' in object ? object.status : undefined
    this.#written.set(namespace, uid, { resourceVersion, parts: { metadata, status } })
  }

  /** The cache has this object: of a write that is not newer only the version is held from now on, since a status has 4 KB. */
  seen({ metadata: { uid, namespace, resourceVersion } }: KubeObject): void {
    const written = this.#written.get(namespace, uid)
    if (!written?.parts) return
    if (compareVersions(resourceVersion, written.resourceVersion) === 'older') return
    this.#written.set(namespace, uid, { resourceVersion: written.resourceVersion })
  }

  /** The object with what was last written while the cache is behind that write, otherwise the cached one. */
  over<T extends KubeObject>(cached: T): T {
    this.seen(cached)
    const { uid, namespace } = cached.metadata
    const { resourceVersion, parts } = this.#written.get(namespace, uid) ?? {}
    if (resourceVersion === undefined || !parts) return cached
    const { finalizers, ...metadata } = cached.metadata
    return {
      ...cached,
      metadata: { ...metadata, ...parts.metadata, resourceVersion },
      status: parts.status,
    }
  }

  /** Whether the operator's last write produced this version. */
  has({ metadata }: KubeObject): boolean {
    const written = this.#written.get(metadata.namespace, metadata.uid)
    return written?.resourceVersion === metadata.resourceVersion
  }
}
