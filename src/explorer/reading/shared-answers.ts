import { LruMap } from '../../platform/core/language/lru-map.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'

interface Entry {
  readonly answer: Promise<unknown>
  goodUntil: number
}

/** Keys are few: networks times windows, and identifiers that callers choose. */
const MAX_KEYS = 1_000

/** Gives the answer to the same question again for a while; those who ask while it is read share one read. */
export class SharedAnswers {
  readonly #entries = new LruMap<string, Entry>(MAX_KEYS)
  readonly #clock: Pick<SteadyClock, 'monotonic'>

  constructor(clock: Pick<SteadyClock, 'monotonic'>) {
    this.#clock = clock
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
