import { LruMap } from '../../../platform/core/language/lru-map.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Store } from '../../../platform/database/open.ts'
import {
  releaseUncertainClaim,
  type UncertainClaim,
} from '../../store/settlements/claim/release.ts'
import type { ServedNetwork } from '../network/served-network.ts'

/** Soon after the store is back, the payment can be settled again by every replica. */
const RETRY_MS = 500

/** While the store takes no writes, requests go on to leave claims. One that is dropped ends when it expires. */
const MAX_ENTRIES = 10_000

interface Deps {
  readonly store: Store
  readonly clock: Clock
  readonly signal: AbortSignal
}

interface Entry {
  readonly network: ServedNetwork
  readonly claim: UncertainClaim
  /** While a statement releases it: those that need it released wait for the same one. */
  releasing?: Promise<void>
}

/**
 * Claims that this process may have in the store although their requests have ended, since the store did not answer.
 * Until they are released, or expire, a repeat of such a request would only be told that it is in progress.
 */
export class UncertainClaims {
  readonly #deps: Deps
  /** The claims by fingerprint: this process settles a request once at a time. */
  readonly #entries = new LruMap<string, Entry>(MAX_ENTRIES)
  #isRunning = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Adds a claim, which is released as soon as the store answers. */
  add(network: ServedNetwork, claim: UncertainClaim): void {
    this.#entries.set(claim.fingerprint, { network, claim })
    if (!this.#isRunning) void this.#run()
  }

  /** Releases that of a request, if there is one, before the request is settled again. Throws `StoreUnavailable`. */
  async release(fingerprint: string): Promise<void> {
    const entry = this.#entries.get(fingerprint)
    if (!entry) return
    entry.releasing ??= this.#release(entry).finally(() => {
      delete entry.releasing
    })
    await entry.releasing
  }

  async #release({ network, claim }: Entry): Promise<void> {
    const { store } = this.#deps
    const isReleased = await releaseUncertainClaim(store.db, claim)
    this.#entries.delete(claim.fingerprint)
    if (!isReleased) return
    network.channelQueue.freed()
    store.notifyFreedChannels(network.id)
  }

  async #run(): Promise<void> {
    const { clock, signal } = this.#deps
    this.#isRunning = true
    while (this.#entries.size > 0 && !signal.aborted) {
      await clock.sleep(RETRY_MS, signal).catch(() => undefined)
      await this.#releaseAll().catch(() => undefined)
    }
    this.#isRunning = false
  }

  /** One after the other; the first failure ends the round, since the store is still away. */
  async #releaseAll(): Promise<void> {
    for (const { claim } of this.#entries.values()) await this.release(claim.fingerprint)
  }
}
