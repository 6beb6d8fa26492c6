import { FairLruMap } from '../fair-lru-map.ts'
import type { KubeObject } from '../objects/resource.ts'

const MAX_OBJECTS = 10_000

interface Write {
  readonly hash: string
  /** The version that the write replaced. */
  readonly before: string
  /** The version that the write produced. */
  readonly after: string
  /** The generation that the write produced; undefined for a kind without generations. */
  readonly generation: number | undefined
}

/**
 * Remembers the last write of each object, to avoid a second one in two cases: the cache does not show the
 * write yet, or the server stored a value in another form (`1000m` as `1`).
 */
export class WriteMemo {
  readonly #writes = new FairLruMap<Write>(MAX_OBJECTS)

  /**
   * True when the last write had this hash and no other write followed it. A later write of the status or of
   * metadata leaves the generation, so a difference in the spec is still the one that the write left.
   * @param because the path of the field that differs
   */
  covers({ metadata }: KubeObject, hash: string, because?: string): boolean {
    const write = this.#writes.get(metadata.namespace, metadata.uid)
    if (write?.hash !== hash) return false
    const isSameSpec = write.generation !== undefined && write.generation === metadata.generation
    if (isSameSpec && because?.startsWith('spec.')) return true
    return metadata.resourceVersion === write.before || metadata.resourceVersion === write.after
  }

  note(live: KubeObject, hash: string, after: KubeObject): void {
    const { resourceVersion, generation } = after.metadata
    const { uid, namespace, resourceVersion: before } = live.metadata
    this.#writes.set(namespace, uid, { hash, before, after: resourceVersion, generation })
  }
}
