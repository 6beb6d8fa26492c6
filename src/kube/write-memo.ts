import { LruMap } from './lru-map.ts'
import type { KubeObject } from './resource.ts'

interface Write {
  readonly hash: string
  /** The version that was written over. */
  readonly before: string
  /** The version that came of it. */
  readonly after: string
}

/**
 * Remembers the last write of each object, for two cases in which a cache alone would have us write again:
 * the cache does not show the write yet, and the server keeps what was written in other words (`1000m` as `1`).
 */
export class WriteMemo {
  readonly #writes: LruMap<string, Write>

  constructor(capacity = 10_000) {
    this.#writes = new LruMap(capacity)
  }

  /** True when exactly this was the last thing written, and nobody wrote to the object since. */
  covers({ metadata }: KubeObject, hash: string): boolean {
    const write = this.#writes.get(metadata.uid)
    if (write?.hash !== hash) return false
    return metadata.resourceVersion === write.before || metadata.resourceVersion === write.after
  }

  note(live: KubeObject, hash: string, after: KubeObject): void {
    const [before, now] = [live.metadata.resourceVersion, after.metadata.resourceVersion]
    this.#writes.set(live.metadata.uid, { hash, before, after: now })
  }
}
