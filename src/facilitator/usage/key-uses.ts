import { apiKeySubject } from '../../core/api-key-entry.ts'
import type { Clock } from '../../core/clock.ts'
import type { ApiKeyUse } from '../../http/api-keys.ts'
import type { KeyUse } from '../../store/usage/key-uses.ts'
import { unlessAway } from './unless-away.ts'

export interface KeyUsesOptions {
  /** The last use of each key by requests to this process. */
  readonly keys: { readonly uses: () => readonly ApiKeyUse[] }
  /** Writes to the store. */
  readonly note: (uses: readonly KeyUse[]) => Promise<void>
  readonly clock: Pick<Clock, 'now'>
}

/** To tell whether a key is still used, a minute is enough; more writes would only cost the store. */
export const NOTE_EVERY_MS = 60_000

/**
 * Writes to the store when each API key was last used: a key's first use at the next write, each later one at most a
 * minute after the one before.
 */
export class KeyUses {
  readonly #options: KeyUsesOptions
  /** By digest. */
  readonly #noted = new Map<string, { readonly usedAt: number; readonly at: number }>()

  constructor(options: KeyUsesOptions) {
    this.#options = options
  }

  /**
   * Writes what is due, in one statement, or each use by itself when the store refuses that. What fails is tried again at
   * the next call.
   * @param isLast whether this process writes no more: then everything is due
   */
  async write({ isLast = false }: { readonly isLast?: boolean } = {}): Promise<void> {
    const { keys, note, clock } = this.#options
    const now = clock.now()
    const due = keys.uses().filter(({ digest, usedAt }) => {
      const noted = this.#noted.get(digest)
      if (!noted) return true
      return usedAt !== noted.usedAt && (isLast || now - noted.at >= NOTE_EVERY_MS)
    })
    if (due.length === 0) return
    const useOf = ({ digest, name, usedAt }: ApiKeyUse): KeyUse => ({
      subject: apiKeySubject(digest),
      name,
      // A clock that was set back.
      agoMs: Math.max(0, now - usedAt),
    })
    const noted = (some: typeof due) => {
      for (const { digest, usedAt } of some) this.#noted.set(digest, { usedAt, at: now })
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
}
