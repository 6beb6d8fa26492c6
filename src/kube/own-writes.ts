import { LruMap } from './lru-map.ts'
import type { KubeObject } from './resource.ts'
import { orderOf } from './version-order.ts'

/**
 * Objects as the server answered our last write of them. A cache shows a write a little later: whoever
 * starts from what a status remembers, or the finalizers say, would take back what it wrote itself.
 */
export class OwnWrites {
  readonly #written: LruMap<string, KubeObject>

  constructor(capacity = 1_000) {
    this.#written = new LruMap(capacity)
  }

  note(written: KubeObject): void {
    this.#written.set(written.metadata.uid, written)
  }

  /** The object as our last write left it while the cache is behind that; else as the cache has it. */
  over<T extends KubeObject>(cached: T): T {
    const written = this.#written.get(cached.metadata.uid)
    if (!written) return cached
    const { resourceVersion } = written.metadata
    const isBehind = orderOf(cached.metadata.resourceVersion, resourceVersion) === 'older'
    return isBehind ? (written as T) : cached
  }

  /** Whether this very version came of our last write. */
  has({ metadata }: KubeObject): boolean {
    const written = this.#written.get(metadata.uid)
    return written?.metadata.resourceVersion === metadata.resourceVersion
  }
}
