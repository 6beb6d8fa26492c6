import { LruMap } from '../lru-map.ts'
import { compareVersions, type KubeObject } from '../objects/resource.ts'

const MAX_OBJECTS = 1_000

/**
 * Objects as the server returned them from the operator's last write. The cache shows a write a little
 * later: a reconcile that starts from its status or finalizers would undo its own last write.
 */
export class OwnWrites {
  readonly #written = new LruMap<string, KubeObject>(MAX_OBJECTS)

  note(written: KubeObject): void {
    this.#written.set(written.metadata.uid, written)
  }

  /** The object as last written while the cache is behind that write, otherwise the cached one. */
  over<T extends KubeObject>(cached: T): T {
    const written = this.#written.get(cached.metadata.uid)
    if (!written) return cached
    const { resourceVersion } = written.metadata
    const isBehind = compareVersions(cached.metadata.resourceVersion, resourceVersion) === 'older'
    return isBehind ? (written as T) : cached
  }

  /** Whether the operator's last write produced this version. */
  has({ metadata }: KubeObject): boolean {
    const written = this.#written.get(metadata.uid)
    return written?.metadata.resourceVersion === metadata.resourceVersion
  }
}
