import type { Key } from '../../../runtime/objects/resource.ts'
import type { Connected } from './connect.ts'
import { releaseSponsors } from './ownership.ts'

interface KnownPool {
  readonly uid: string
  /** Undefined until a pass has reached the store. */
  readonly connected: Pick<Connected, 'store' | 'write' | 'freed'> | undefined
}

/** The pools that this process has seen, with what it takes to give up their sponsors once they are gone from the cluster. */
export class KnownPools {
  readonly #pools = new Map<Key, KnownPool>()

  note(key: Key, uid: string, connected?: KnownPool['connected']): void {
    const before = this.#pools.get(key)
    const last = before?.uid === uid ? before.connected : undefined
    this.#pools.set(key, { uid, connected: connected ?? last })
  }

  /** Forgets a pool whose sponsors are given up already. */
  forget(uid: string): void {
    for (const [key, pool] of this.#pools) if (pool.uid === uid) this.#pools.delete(key)
  }

  uidOf(key: Key): string | undefined {
    return this.#pools.get(key)?.uid
  }

  /** @param signal of the pass that does it: the store of an earlier pass knows no time limit any more */
  async releaseSponsors(key: Key, signal: AbortSignal): Promise<void> {
    const pool = this.#pools.get(key)
    this.#pools.delete(key)
    if (pool?.connected) await releaseSponsors(pool.uid, pool.connected, signal)
  }
}
