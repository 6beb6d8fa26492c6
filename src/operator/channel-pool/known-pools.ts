import type { Key } from '../../kube/resource.ts'
import type { Connected } from './connect.ts'
import { releaseSponsors } from './ownership.ts'

interface KnownPool {
  readonly uid: string
  readonly connected: Pick<Connected, 'store' | 'write'>
}

/** The pools that this process has managed, with what it takes to give up their sponsors once they are gone from the cluster. */
export class KnownPools {
  readonly #pools = new Map<Key, KnownPool>()

  note(key: Key, uid: string, connected: KnownPool['connected']): void {
    this.#pools.set(key, { uid, connected })
  }

  uidOf(key: Key): string | undefined {
    return this.#pools.get(key)?.uid
  }

  async releaseSponsors(key: Key): Promise<void> {
    const pool = this.#pools.get(key)
    this.#pools.delete(key)
    if (pool) await releaseSponsors(pool.uid, pool.connected)
  }
}
