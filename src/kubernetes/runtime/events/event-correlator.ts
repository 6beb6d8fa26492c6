import { createHash } from 'node:crypto'
import { LruMap } from '../../../platform/core/language/lru-map.ts'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import { TokenBucket } from '../time/token-bucket.ts'

/** An event before it is written. */
export interface PendingEvent {
  /** The object it is about. */
  readonly uid: string
  /** Equal for events that differ in their note alone. */
  readonly similarKey: string
  readonly note: string
}

export type EventDecision =
  | { readonly do: 'create'; readonly name: string; readonly note: string }
  /** The event was written before, under this name. */
  | { readonly do: 'repeat'; readonly name: string; readonly note: string; readonly count: number }
  | { readonly do: 'drop' }

interface Series {
  readonly name: string
  count: number
  at: number
}

interface Similar {
  /** Digests. */
  notes: Set<string>
  at: number
}

/** How few events there are. The defaults are client-go's. */
export interface EventLimits {
  /** An event that repeats within this time increases a count. @default 10 minutes */
  readonly windowMs?: number
  /** Similar events within the window that are written one by one. @default 10 */
  readonly maxSimilar?: number
  /** Events at once about one object. @default 25 */
  readonly burst?: number
  /** Events a second about one object, after the burst. @default one in 5 minutes */
  readonly perSecond?: number
}

const MAX_ENTRIES = 4_096

/**
 * Keeps events few: a repeated event increases a count, more than ten similar ones within ten minutes become
 * one series, and an object gets at most 25 at once and one every five minutes after that.
 */
export class EventCorrelator {
  readonly #series = new LruMap<string, Series>(MAX_ENTRIES)
  readonly #similar = new LruMap<string, Similar>(MAX_ENTRIES)
  readonly #buckets = new LruMap<string, TokenBucket>(MAX_ENTRIES)
  readonly #clock: Pick<SteadyClock, 'monotonic'>
  readonly #limits: Required<EventLimits>

  constructor(clock: Pick<SteadyClock, 'monotonic'>, limits: EventLimits = {}) {
    this.#clock = clock
    this.#limits = { windowMs: 600_000, maxSimilar: 10, burst: 25, perSecond: 1 / 300, ...limits }
  }

  /** A new event gets the name `newName`. */
  decide({ uid, similarKey, note }: PendingEvent, newName: string): EventDecision {
    const now = this.#clock.monotonic()
    // Notes have up to 1 KiB, and whoever owns the object may choose them.
    const digest = createHash('sha256').update(note).digest('base64')
    const isCombined = this.#countNotes(similarKey, digest, now) > this.#limits.maxSimilar
    const key = isCombined ? similarKey : `${similarKey} ${digest}`
    const shown = isCombined ? `(combined from similar events) ${note}` : note
    const series = this.#series.get(key)
    const isRepeat = series !== undefined && now - series.at < this.#limits.windowMs
    if (isRepeat) {
      series.count += 1
      series.at = now
    } else {
      this.#series.set(key, { name: newName, count: 1, at: now })
    }
    if (!this.#bucketOf(uid).tryTake()) {
      // A dropped repeat still counts; a dropped new event has no name that could be repeated.
      if (!isRepeat) this.#series.delete(key)
      return { do: 'drop' }
    }
    return isRepeat
      ? { do: 'repeat', name: series.name, note: shown, count: series.count }
      : { do: 'create', name: newName, note: shown }
  }

  #countNotes(similarKey: string, digest: string, now: number): number {
    const known = this.#similar.get(similarKey)
    const similar =
      known && now - known.at < this.#limits.windowMs
        ? known
        : { notes: new Set<string>(), at: now }
    similar.at = now
    if (similar.notes.size <= this.#limits.maxSimilar) similar.notes.add(digest)
    this.#similar.set(similarKey, similar)
    return similar.notes.size
  }

  #bucketOf(uid: string): TokenBucket {
    const { burst, perSecond } = this.#limits
    const bucket =
      this.#buckets.get(uid) ?? new TokenBucket({ burst, perSecond, clock: this.#clock })
    this.#buckets.set(uid, bucket)
    return bucket
  }
}
