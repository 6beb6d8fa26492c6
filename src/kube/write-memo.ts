import { LruMap } from './lru-map.ts'
import type { KubeObject } from './resource.ts'

const MAX_OBJECTS = 10_000

interface Write {
  readonly hash: string
  /** The version that the write replaced. */
  readonly before: string
  /** The version that the write produced. */
  readonly after: string
}

/**
 * Remembers the last write of each object, to avoid a second one in two cases: the cache does not show the
 * write yet, or the server stored a value in another form (`1000m` as `1`).
 */
export class WriteMemo {
  readonly #writes = new LruMap<string, Write>(MAX_OBJECTS)

  /** True when the last write had this hash and no other write followed it. */
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
