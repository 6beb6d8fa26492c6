import { StoreUnavailable } from './postgres/unavailable.ts'

export interface StatementBatchOptions<Item, Result> {
  /** Writes one item, as without batches. */
  readonly one: (item: Item) => Promise<Result>
  /**
   * Writes several items in one statement. Returns a result for each, in their order; undefined for one that it
   * left alone, which `one` then writes.
   */
  readonly many: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>
  /** Items of one statement, at most. */
  readonly maxItems: number
  /** Statements under way at a time, at most. */
  readonly maxStatements: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes items of many callers in few statements. An item alone is written at once, by the statement for one.
 * Items that come together, or while `maxStatements` are under way, share the next statement.
 *
 * One bad item fails alone: a statement that the database refuses is split in two until each item is alone.
 * When the database cannot answer, all items of the statement fail with `StoreUnavailable`.
 */
export class StatementBatch<Item, Result> {
  readonly #options: StatementBatchOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #statements = 0
  #isFlushDue = false

  constructor(options: StatementBatchOptions<Item, Result>) {
    this.#options = options
  }

  write(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#waiting.push({ item, resolve, reject })
    if (!this.#isFlushDue) {
      this.#isFlushDue = true
      // After the promise callbacks that run now: all items of one answer of the network come in these.
      process.nextTick(() => {
        this.#isFlushDue = false
        this.#flush()
      })
    }
    return promise
  }

  #flush(): void {
    const { maxItems, maxStatements } = this.#options
    while (this.#waiting.length > 0 && this.#statements < maxStatements) {
      const batch = this.#waiting.splice(0, maxItems)
      this.#statements += 1
      void this.#run(batch).finally(() => {
        this.#statements -= 1
        this.#flush()
      })
    }
  }

  /** Never rejects. */
  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const [first] = batch
    if (first && batch.length === 1) return this.#runAlone(first)
    try {
      const results = await this.#options.many(batch.map(({ item }) => item))
      for (const [place, waiting] of batch.entries()) {
        const result = results[place]
        // Not awaited: what blocks one item must not delay the next statement.
        if (result === undefined) void this.#runAlone(waiting)
        else waiting.resolve(result)
      }
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        for (const { reject } of batch) reject(error)
        return
      }
      const half = Math.ceil(batch.length / 2)
      await this.#run(batch.slice(0, half))
      await this.#run(batch.slice(half))
    }
  }

  async #runAlone({ item, resolve, reject }: Waiting<Item, Result>): Promise<void> {
    try {
      resolve(await this.#options.one(item))
    } catch (error) {
      reject(error)
    }
  }
}
