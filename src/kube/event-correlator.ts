import type { SteadyClock } from '../core/clock.ts'
import { LruMap } from './lru-map.ts'
import { TokenBucket } from './token-bucket.ts'

/** An event as it is about to be told. */
export interface EventSighting {
  /** The object it is about. */
  readonly uid: string
  /** All that makes two events the same kind of event, but for the note. */
  readonly similarKey: string
  readonly note: string
}

export type EventDecision =
  | { readonly do: 'create'; readonly name: string; readonly note: string }
  /** It was told before, under this name. */
  | { readonly do: 'repeat'; readonly name: string; readonly note: string; readonly count: number }
  | { readonly do: 'drop' }

interface Told {
  readonly name: string
  count: number
  at: number
}

interface Similar {
  notes: Set<string>
  at: number
}

/** The numbers are client-go's. */
const windowMs = 600_000
const similarNotes = 10
const burst = { burst: 25, perSecond: 1 / 300 }
const remembered = 4_096

/**
 * Keeps events few: the same one again becomes a count, more than ten of a kind within ten minutes become
 * one, and no object gets more than 25 at once and one every five minutes after that.
 */
export class EventCorrelator {
  readonly #told = new LruMap<string, Told>(remembered)
  readonly #similar = new LruMap<string, Similar>(remembered)
  readonly #buckets = new LruMap<string, TokenBucket>(remembered)
  readonly #clock: Pick<SteadyClock, 'monotonic'>

  constructor(clock: Pick<SteadyClock, 'monotonic'>) {
    this.#clock = clock
  }

  /** `newName` names the event, should it be a new one. */
  judge({ uid, similarKey, note }: EventSighting, newName: string): EventDecision {
    const now = this.#clock.monotonic()
    const isCombined = this.#countNotes(similarKey, note, now) > similarNotes
    const key = isCombined ? similarKey : `${similarKey} ${note}`
    const shown = isCombined ? `(combined from similar events) ${note}` : note
    const told = this.#told.get(key)
    const isRepeat = told !== undefined && now - told.at < windowMs
    if (isRepeat) {
      told.count += 1
      told.at = now
    } else {
      this.#told.set(key, { name: newName, count: 1, at: now })
    }
    if (!this.#bucketOf(uid).tryTake()) {
      // Counted, but a new one that was never written is no name to repeat.
      if (!isRepeat) this.#told.delete(key)
      return { do: 'drop' }
    }
    return isRepeat
      ? { do: 'repeat', name: told.name, note: shown, count: told.count }
      : { do: 'create', name: newName, note: shown }
  }

  #countNotes(similarKey: string, note: string, now: number): number {
    const known = this.#similar.get(similarKey)
    const similar =
      known && now - known.at < windowMs ? known : { notes: new Set<string>(), at: now }
    similar.at = now
    if (similar.notes.size <= similarNotes) similar.notes.add(note)
    this.#similar.set(similarKey, similar)
    return similar.notes.size
  }

  #bucketOf(uid: string): TokenBucket {
    const bucket = this.#buckets.get(uid) ?? new TokenBucket({ ...burst, clock: this.#clock })
    this.#buckets.set(uid, bucket)
    return bucket
  }
}
