import { LruMap } from '../platform/core/language/lru-map.ts'
import type { SteadyClock } from '../platform/core/time/clock.ts'

interface Entry {
  readonly answer: Promise<unknown>
  goodUntil: number
}

/**
 * How long the API and the pages give an answer again to who asks for the same URL. A ledger closes every five seconds, and
 * readers of one URL at once cost one read and one text in this time.
 */
export const SAME_URL_MS = 500
/** URLs whose answers are kept: those that many ask for. A page and its encodings may have 1 MB. */
export const SHARED_URLS = 20

/** Gives the answer to the same question again for a while; those who ask while it is read share one read. */
export class SharedAnswers {
  readonly #entries: LruMap<string, Entry>
  readonly #clock: Pick<SteadyClock, 'monotonic'>

  /** @param maxKeys how many answers are kept; of more, the ones that were asked for last */
  constructor(clock: Pick<SteadyClock, 'monotonic'>, maxKeys: number) {
    this.#clock = clock
    this.#entries = new LruMap(maxKeys)
  }

  /** @param goodForMs after it was read; 0: only those who ask meanwhile share it. A failure is not kept. */
  get<T>(key: string, goodForMs: number, read: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key)
    if (known && this.#clock.monotonic() < known.goodUntil) return known.answer as Promise<T>
    const answer = read()
    const entry: Entry = { answer, goodUntil: Number.POSITIVE_INFINITY }
    this.#entries.set(key, entry)
    answer.then(
      () => {
        entry.goodUntil = this.#clock.monotonic() + goodForMs
      },
      () => {
        entry.goodUntil = Number.NEGATIVE_INFINITY
      },
    )
    return answer
  }
}
