import { apiKeySubject } from '../../platform/core/api-key-entry.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { ApiKeyUse } from '../../platform/http/access/api-keys.ts'
import type { KeyUse } from '../store/usage/key-uses.ts'
import { unlessAway } from './unless-away.ts'

export interface KeyUsesOptions {
  /** The last use of each key by requests to this process since the last call. */
  readonly keys: { readonly takeUses: () => readonly ApiKeyUse[] }
  /** Writes to the store. */
  readonly note: (uses: readonly KeyUse[]) => Promise<void>
  readonly clock: Pick<Clock, 'now'>
  /** Called with the number of keys whose last use is not written, because the memory for uses was full. */
  readonly onLost: (keys: number) => void
}

/** To tell whether a key is still used, a minute is enough; more writes would only cost the store. */
export const NOTE_EVERY_MS = 60_000
/** Keys whose last use waits for the store, about 200 bytes each. Only while the store is away are there many. */
export const MAX_WAITING = 10_000

/**
 * Writes to the store when each API key was last used: a key's first use at the next write, each later one at most a
 * minute after the one before.
 */
export class KeyUses {
  readonly #options: KeyUsesOptions
  /** The uses that are not written, by digest. */
  readonly #waiting = new Map<string, ApiKeyUse>()
  /** By digest, when a use was written, within the last minute. */
  readonly #noted = new Map<string, number>()

  constructor(options: KeyUsesOptions) {
    this.#options = options
  }

  /**
   * Writes what is due, in one statement, or each use by itself when the store refuses that. What fails is tried again at
   * the next call.
   * @param isLast whether this process writes no more: then everything is due
   */
  async write({ isLast = false }: { readonly isLast?: boolean } = {}): Promise<void> {
    const { note, clock } = this.#options
    const now = clock.now()
    this.#take(now)
    const due = [...this.#waiting.values()].filter(
      ({ digest }) => isLast || !this.#noted.has(digest),
    )
    if (due.length === 0) return
    const useOf = ({ digest, name, usedAt }: ApiKeyUse): KeyUse => ({
      subject: apiKeySubject(digest),
      name,
      // A clock that was set back.
      agoMs: Math.max(0, now - usedAt),
    })
    const noted = (some: typeof due) => {
      for (const { digest } of some) {
        this.#waiting.delete(digest)
        this.#noted.set(digest, now)
      }
    }
    const refused: unknown[] = []
    await note(due.map(useOf)).then(
      () => noted(due),
      unlessAway(async () => {
        for (const each of due) {
          await note([useOf(each)]).then(
            () => noted([each]),
            unlessAway((error) => refused.push(error)),
          )
        }
      }),
    )
    if (refused.length > 0) throw new AggregateError(refused, 'uses of API keys were refused')
  }

  #take(now: number): void {
    const { keys, onLost } = this.#options
    for (const use of keys.takeUses()) {
      // Deleted first, so that the oldest use stays at the front.
      this.#waiting.delete(use.digest)
      this.#waiting.set(use.digest, use)
    }
    const lost = [...this.#waiting.keys()].slice(0, Math.max(0, this.#waiting.size - MAX_WAITING))
    for (const digest of lost) this.#waiting.delete(digest)
    if (lost.length > 0) onLost(lost.length)
    for (const [digest, at] of this.#noted) {
      if (now - at >= NOTE_EVERY_MS || now < at) this.#noted.delete(digest)
    }
  }
}
