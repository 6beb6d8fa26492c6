import type { Transform } from '../client/pages.ts'
import { FairLruMap } from '../fair-lru-map.ts'
import { compareVersions, type KubeObject } from '../objects/resource.ts'

const MAX_OBJECTS = 1_000

/** The parts of an object that the operator writes, and the version that the write made. */
interface Written {
  readonly metadata: Pick<
    KubeObject['metadata'],
    'resourceVersion' | 'finalizers' | 'deletionTimestamp'
  >
  readonly status: unknown
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
    const { metadata, ...object } = this.#transform(written)
    const { uid, namespace, resourceVersion, finalizers, deletionTimestamp } = metadata
    this.#written.set(namespace, uid, {
      metadata: {
        resourceVersion,
        ...(finalizers && { finalizers }),
        ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      },
      status: 'status' in object ? object.status : undefined,
    })
  }

  /** The object with what was last written while the cache is behind that write, otherwise the cached one. */
  over<T extends KubeObject>(cached: T): T {
    const written = this.#written.get(cached.metadata.namespace, cached.metadata.uid)
    if (!written) return cached
    const order = compareVersions(cached.metadata.resourceVersion, written.metadata.resourceVersion)
    if (order !== 'older') return cached
    const { finalizers, ...metadata } = cached.metadata
    return { ...cached, metadata: { ...metadata, ...written.metadata }, status: written.status }
  }

  /** Whether the operator's last write produced this version. */
  has({ metadata }: KubeObject): boolean {
    const written = this.#written.get(metadata.namespace, metadata.uid)
    return written?.metadata.resourceVersion === metadata.resourceVersion
  }
}
