import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { canonicalUrl } from '../../platform/core/mcp-tool-url.ts'
import type { SellerCall } from '../seller/seller-http.ts'
import { ProcessLock } from './process-lock.ts'
import { type RecordedPayment, readPayment, type SignedPayment } from './recorded-payment.ts'

/** The same for calls of the same method, URL and body, however the first two are spelled. It shows none of them: a URL can hold a secret. */
export const purchaseOf = ({ method = 'GET', url, body = '' }: SellerCall): string =>
  createHash('sha256')
    .update(JSON.stringify([method.toUpperCase(), canonicalUrl(url), body]))
    .digest('hex')

/** A purchase as the call that makes or resumes it holds it. Once that call has left it, another call may hold the same purchase. */
export interface HeldPurchase {
  readonly id: bigint
  /** Undefined when another process held it. */
  readonly lock: ProcessLock | undefined
}

/** A signed payment whose buyer does not have the answer. */
export interface OpenPurchase extends RecordedPayment, HeldPurchase {
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
  hold(id: bigint): ProcessLock | undefined {
    const lock = ProcessLock.take(this.#lockFile(id))
    if (lock) this.#held.set(id, lock)
    return lock
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

  /** The call that holds it waits for its answer no longer: the next one resumes it. No effect when another call holds it meanwhile. */
  leave({ id, lock }: HeldPurchase): void {
    if (this.#held.get(id) !== lock) return
    this.#markResumable(id)
    lock?.[Symbol.dispose]()
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
        return { ...found, lock }
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

function readOpen(row: Readonly<Record<string, SQLOutputValue>>): Omit<OpenPurchase, 'lock'> {
  const { payment, ...recorded } = readPayment(row)
  if (!payment) throw new TypeError('a purchase without a signature')
  const header = row['header'] === null ? undefined : String(row['header'])
  return { ...recorded, payment, header }
}
