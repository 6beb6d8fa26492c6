export type Side = 'before' | 'after'

/** A write of the operator at which a test stops it. */
export interface Cut {
  /** `before` the write is executed, or `after` that and before the operator gets the answer. */
  readonly side: Side
  /** Called once for each write since the gate was set. */
  hits(what: string): boolean
}

/** At that write, whatever it is, counted from the first one of a kind on, which is number 1. For one gate. */
export function atNumberFrom(first: RegExp, number: number, side: Side): Cut {
  let seen = 0
  return {
    side,
    hits: (what) => {
      if (seen > 0 || first.test(what)) seen += 1
      return seen === number
    },
  }
}

/** At the first write of that kind. */
export const atWrite = (kind: RegExp, side: Side): Cut => ({
  side,
  hits: (what) => kind.test(what),
})

/**
 * Numbers the writes that an operator makes for one pool, in whichever system. At the cut it closes: the writes before are executed,
 * later ones wait, so that the world stays as a kill at this point leaves it.
 */
export class WriteGate {
  /** Since the gate was set, in their order. */
  readonly writes: string[] = []
  #cut: Cut | undefined
  #held: { readonly what: string; readonly opened: PromiseWithResolvers<void> } | undefined

  set(cut?: Cut): void {
    this.writes.length = 0
    this.#cut = cut
  }

  /** The write that it stopped; undefined while it is open. */
  get stoppedAt(): string | undefined {
    return this.#held?.what
  }

  /** Lets the waiting writes go on, and all later ones. */
  open(): void {
    this.#held?.opened.resolve()
    this.#held = undefined
  }

  /** The process that waits is dead: what it has not written is never written. Later writes are those of the next one. */
  drop(): void {
    this.#held?.opened.reject(new Error('the process that wrote this is gone'))
    this.#held = undefined
  }

  /** Resolves with the result of the write when its answer may go on. Rejects when it was dropped. */
  async pass<T>(what: string, execute: () => Promise<T>): Promise<T> {
    await this.#held?.opened.promise
    this.writes.push(what)
    const cut = this.#cut?.hits(what) ? this.#cut : undefined
    if (cut?.side === 'before') await this.#close(what)
    const result = await execute()
    if (cut?.side === 'after') await this.#close(what)
    return result
  }

  #close(what: string): Promise<void> {
    this.#cut = undefined
    const opened = Promise.withResolvers<void>()
    opened.promise.catch(() => undefined)
    this.#held = { what, opened }
    return opened.promise
  }
}
