import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { SellerCall } from '../seller/seller-http.ts'
import { ProcessLock } from './process-lock.ts'
import { type RecordedPayment, readPayment, type SignedPayment } from './recorded-payment.ts'

/** The same for calls of the same method, URL and body. It shows none of them: a URL can hold a secret. */
export const purchaseOf = ({ method = 'GET', url, body = '' }: SellerCall): string =>
  createHash('sha256')
    .update(JSON.stringify([method, new URL(url).href, body]))
    .digest('hex')

/** A signed payment whose buyer does not have the answer. */
export interface OpenPurchase extends RecordedPayment {
  readonly payment: SignedPayment
  /** The payment as it was sent, or was about to be. Undefined when its process ended before that. */
  readonly header: string | undefined
}

/**
 * The purchases of a budget file that are not over: they were signed, and their buyer does not have the answer. The process that makes or
 * resumes one holds its lock, so that the others know whether anybody still waits for the answer.
 */
export class Purchases implements Disposable {
  readonly #database: DatabaseSync
  readonly #file: string
  readonly #held = new Map<bigint, ProcessLock>()

  constructor(database: DatabaseSync, file: string) {
    this.#database = database
    this.#file = file
  }

  /** Before it is signed. */
  hold(id: bigint): void {
    const lock = ProcessLock.take(this.#lockFile(id))
    if (lock) this.#held.set(id, lock)
  }

  keep(id: bigint, header: string): void {
    this.#run('update spending set header = ? where id = ? and purchase is not null', header, id)
  }

  /**
   * The oldest open purchase of this call, for this process alone. A purchase whose first process still waits for the answer
   * is none: whoever calls the same at the same time buys a second time.
   *
   * @returns 'busy' while another process resumes it
   */
  take(call: SellerCall): OpenPurchase | 'busy' | undefined {
    // Takes the lock for writing: of two processes one sees that the other has resumed it.
    this.#database.exec('begin immediate')
    try {
      const taken = this.#take(purchaseOf(call))
      this.#database.exec('commit')
      return taken
    } catch (error) {
      this.#database.exec('rollback')
      throw error
    }
  }

  /** Nobody waits for its answer any more: the next call resumes it. */
  leave(id: bigint): void {
    this.#markResumable(id)
    this.#held.get(id)?.[Symbol.dispose]()
    this.#held.delete(id)
  }

  /** It is over. One that no budget counts leaves nothing behind. */
  end(id: bigint): void {
    this.#run('update spending set purchase = null, header = null where id = ?', id)
    this.#run("delete from spending where id = ? and units = 0 and state = 'signed'", id)
    const lock = this.#held.get(id)
    this.#held.delete(id)
    if (lock) lock.remove()
    else rmSync(this.#lockFile(id), { force: true })
  }

  [Symbol.dispose](): void {
    for (const lock of this.#held.values()) lock[Symbol.dispose]()
    this.#held.clear()
  }

  #take(purchase: string): OpenPurchase | 'busy' | undefined {
    const rows = this.#database
      .prepare('select * from spending where purchase = ? and nonce is not null order by id')
      .all(purchase)
    for (const row of rows) {
      const found = readOpen(row)
      const lock = ProcessLock.take(this.#lockFile(found.id))
      if (lock) {
        this.#held.set(found.id, lock)
        this.#markResumable(found.id)
        return found
      }
      if (found.outcome !== undefined) return 'busy'
    }
    return undefined
  }

  /** One without a word of its seller is still its first process's. */
  #markResumable(id: bigint): void {
    this.#run(
      `update spending set outcome = coalesce(outcome, 'unknown') where id = ? and purchase is not null`,
      id,
    )
  }

  #lockFile(id: bigint): string {
    return `${this.#file}-${id}.lock`
  }

  #run(sql: string, ...values: readonly (bigint | string)[]): void {
    this.#database.prepare(sql).run(...values)
  }
}

function readOpen(row: Readonly<Record<string, SQLOutputValue>>): OpenPurchase {
  const { payment, ...recorded } = readPayment(row)
  if (!payment) throw new TypeError('a purchase without a signature')
  const header = row['header'] === null ? undefined : String(row['header'])
  return { ...recorded, payment, header }
}
