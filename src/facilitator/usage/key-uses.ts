import { apiKeySubject } from '../../core/api-key-entry.ts'
import type { Clock } from '../../core/clock.ts'
import type { ApiKeyUse } from '../../http/api-keys.ts'
import type { KeyUse } from '../../store/usage/key-uses.ts'

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
   * Writes what is due, in one statement, or nothing. A write that fails is tried again at the next call.
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
    await note(
      due.map(({ digest, name, usedAt }) => ({
        subject: apiKeySubject(digest),
        name,
        // A clock that was set back.
        agoMs: Math.max(0, now - usedAt),
      })),
    )
    for (const { digest, usedAt } of due) this.#noted.set(digest, { usedAt, at: now })
  }
}
