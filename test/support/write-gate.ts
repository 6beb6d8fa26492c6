/** Numbers the writes of a process under test, and stops the process at one of them, so that a test can kill it there. */

export interface GateStop {
  /** Number of the write, from 1 on. */
  readonly at: number
  /** `before`: the write is not passed on; `after`: it was executed, and the process does not get the answer. */
  readonly side: 'before' | 'after'
}

/** The first words of the statement, or `sendTransaction`. */
export type WriteName = string

/** What proxies in front of the servers of one process share. */
export class WriteGate {
  /** In their order. */
  readonly writes: WriteName[] = []
  /** Resolves when the process is at the stop. */
  readonly reached: Promise<void>
  readonly #reach: () => void
  readonly #stop: GateStop | undefined
  readonly #atStop: (() => void | Promise<void>) | undefined
  #isClosed = false

  /** @param atStop what happens at the stop: the process goes on then. Absent: it waits there for ever, and does no other write */
  constructor(stop?: GateStop, atStop?: () => void | Promise<void>) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.reached = promise
    this.#reach = resolve
    this.#stop = stop
    this.#atStop = atStop
  }

  /** For each write: passes it on by `execute`. */
  async pass<T>(name: WriteName, execute: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return never()
    const number = this.writes.push(name)
    const side = this.#stop?.at === number ? this.#stop.side : undefined
    if (side === 'before') await this.#halt()
    const answer = await execute()
    if (side === 'after') await this.#halt()
    return answer
  }

  async #halt(): Promise<void> {
    this.#reach()
    if (this.#atStop) return this.#atStop()
    this.#isClosed = true
    return never()
  }
}

const never = () => new Promise<never>(() => undefined)
