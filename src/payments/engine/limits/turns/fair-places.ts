import type { Clock } from '../../../../platform/core/time/clock.ts'
import { noLongerNeeded } from '../../../../platform/core/time/no-longer-needed.ts'
import { CallerLine } from './caller-line.ts'

export interface FairPlacesOptions {
  readonly places: number
  /** Requests that may wait for one, of all callers. */
  readonly maxWaiting: number
  /** A request waits at most this long. */
  readonly waitMs: number
  readonly clock: Pick<Clock, 'sleep'>
}

/** The request for a place. Payers of one caller get its places in turn. */
export interface PlaceRequest {
  /** An API key, or the address of a client without one. */
  readonly caller: string
  readonly payer: string
}

/** Why a request got no place: too many wait, and its caller has the longest line; or none became free in time. */
export type MissedPlace = 'line full' | 'late'

interface Waiter extends PlaceRequest {
  readonly resolve: (outcome: Disposable | MissedPlace) => void
  readonly reject: (error: unknown) => void
}

/** One caller never has more of the places: the others do not wait until its requests end. */
const MAX_SHARE = 3 / 4

/**
 * Places of a limited number that callers share. A free one goes to the waiting caller that has the fewest, and among
 * equals to the one that was served least recently. So many requests of one caller do not delay the only one of another.
 */
export class FairPlaces {
  readonly #options: FairPlacesOptions
  readonly #maxOfOne: number
  /** Places by caller. */
  readonly #held = new Map<string, number>()
  readonly #lines = new Map<string, CallerLine<Waiter>>()
  #taken = 0
  #waiting = 0

  constructor(options: FairPlacesOptions) {
    this.#options = options
    this.#maxOfOne = Math.max(1, Math.floor(options.places * MAX_SHARE))
  }

  /**
   * Resolves with the place, which the caller disposes of, or with why there is none. When the signal aborts, the
   * request leaves the line, and the promise rejects with the reason; a place that it already has stays.
   */
  async take(request: PlaceRequest, signal?: AbortSignal): Promise<Disposable | MissedPlace> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Disposable | MissedPlace>()
    const waiter: Waiter = { ...request, resolve, reject }
    this.#enter(waiter)
    this.#fill()
    if (this.#waiting > this.#options.maxWaiting) this.#dropOne()
    if (!this.#lines.has(request.caller)) return promise
    const over = new AbortController()
    const cancel = () => {
      if (this.#leave(waiter)) reject(signal?.reason)
    }
    signal?.addEventListener('abort', cancel, { once: true })
    const { clock, waitMs } = this.#options
    clock.sleep(waitMs, over.signal).then(
      () => {
        if (this.#leave(waiter)) resolve('late')
      },
      () => undefined,
    )
    return promise.finally(() => {
      over.abort(noLongerNeeded)
      signal?.removeEventListener('abort', cancel)
    })
  }

  #enter(waiter: Waiter): void {
    const line = this.#lines.get(waiter.caller) ?? new CallerLine<Waiter>()
    line.add(waiter)
    this.#lines.set(waiter.caller, line)
    this.#waiting += 1
  }

  /** False when it does not wait any more. */
  #leave(waiter: Waiter): boolean {
    const line = this.#lines.get(waiter.caller)
    if (!line?.remove(waiter)) return false
    if (line.length === 0) this.#lines.delete(waiter.caller)
    this.#waiting -= 1
    return true
  }

  /** Gives the free places to those who wait. */
  #fill(): void {
    for (let caller = this.#next(); caller !== undefined; caller = this.#next()) {
      const line = this.#lines.get(caller)
      const waiter = line?.take()
      this.#lines.delete(caller)
      if (line && line.length > 0) this.#lines.set(caller, line)
      this.#waiting -= 1
      waiter?.resolve(this.#placeOf(caller))
    }
  }

  /** The caller that gets the next place. */
  #next(): string | undefined {
    if (this.#taken >= this.#options.places) return undefined
    let next: string | undefined
    let fewest = this.#maxOfOne
    for (const caller of this.#lines.keys()) {
      const held = this.#held.get(caller) ?? 0
      if (held >= fewest) continue
      next = caller
      fewest = held
    }
    return next
  }

  #placeOf(caller: string): Disposable {
    this.#add(caller, 1)
    let isHeld = true
    const dispose = () => {
      if (!isHeld) return
      isHeld = false
      this.#add(caller, -1)
      this.#fill()
    }
    return { [Symbol.dispose]: dispose }
  }

  #add(caller: string, places: 1 | -1): void {
    this.#taken += places
    const held = (this.#held.get(caller) ?? 0) + places
    if (held === 0) this.#held.delete(caller)
    else this.#held.set(caller, held)
  }

  /** Refuses the newest request of the longest line. */
  #dropOne(): void {
    let longest: CallerLine<Waiter> | undefined
    for (const line of this.#lines.values()) {
      if (line.length >= (longest?.length ?? 0)) longest = line
    }
    const newest = longest?.newest
    if (newest && this.#leave(newest)) newest.resolve('line full')
  }
}
