/** Numbers the writes of a process under test, in whichever system, and stops it at one of them, so that a test can kill it there. */

/** `before` the write is executed, or `after` that and before the process gets the answer. */
export type Side = 'before' | 'after'

/** A write at which a test stops the process. */
export interface Cut {
  readonly side: Side
  /** @param writes since the gate was set; the last one is about to be executed */
  hits(writes: readonly string[]): boolean
}

/** At that write, whatever it is; the first one of the kind `first` is number 1. */
export const atNumber = (number: number, side: Side, first = /^/): Cut => ({
  side,
  hits: (writes) => {
    const begin = writes.findIndex((what) => first.test(what))
    return begin >= 0 && writes.length - begin === number
  },
})

/** At the first write of that kind. */
export const atWrite = (kind: RegExp, side: Side): Cut => ({
  side,
  hits: (writes) => kind.test(writes.at(-1) ?? ''),
})

/**
 * What proxies in front of the servers of one process share. At the cut it closes: the writes before are executed, later ones wait, so
 * that the world stays as a kill at this point leaves it.
 */
export class WriteGate {
  /** Since the gate was set, in their order. */
  readonly writes: string[] = []
  #cut: Cut | undefined
  #reached = Promise.withResolvers<void>()
  #held: { readonly what: string; readonly opened: PromiseWithResolvers<void> } | undefined

  set(cut?: Cut): void {
    this.writes.length = 0
    this.#cut = cut
    this.#reached = Promise.withResolvers()
  }

  /** Resolves when the process is at the cut that was set last. */
  get reached(): Promise<void> {
    return this.#reached.promise
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
    const cut = this.#cut?.hits(this.writes) ? this.#cut : undefined
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
    this.#reached.resolve()
    return opened.promise
  }
}
