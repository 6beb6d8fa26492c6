import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../core/clock.ts'

/** A signed payment of this many base units would exceed what may be spent in 24 hours. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded'
  /** Base units that may still be spent now. */
  readonly left: bigint

  constructor(left: bigint) {
    super('the budget of 24 hours does not allow this payment')
    this.left = left
  }
}

/** What was set aside for one payment. Call one of its methods, once; without a call it counts as spent. */
export interface Reservation {
  /** The payment was made; `units` is what it took, at most what was reserved. */
  spent(units: bigint, transaction: string | null): void
  /** Certainly no signed payment left this machine. */
  release(): void
}

export interface BudgetState {
  /** In the last 24 hours, in base units. */
  readonly spent: bigint
  readonly left: bigint
}

export interface BudgetOptions {
  /** Path of the file; its folder is made. Several processes may share it. */
  readonly file: string
  /** Base units that may be spent in any 24 hours, at most 2^62. */
  readonly limit: bigint
  readonly clock: Pick<Clock, 'now'>
}

const DAY_MS = 86_400_000
/** Another process holds the lock for as long as one small transaction takes. */
const LOCK_MS = 30_000
/** SQLite's numbers have 64 bits; sums of payments within limits stay below. */
export const LARGEST_BUDGET = 2n ** 62n
const USER_ONLY = 0o077

/**
 * What was spent, in a file that outlives the process. A payment is reserved on disk before it is signed, in a transaction
 * that only one process at a time can make, and counts from then on: a process that dies at any point has spent at least
 * what its file says. So in any 24 hours no more than the limit leaves the wallet.
 */
export class Budget implements Disposable {
  readonly #database: DatabaseSync
  readonly #limit: bigint
  readonly #clock: Pick<Clock, 'now'>

  /** Throws when the file cannot be opened, or is none of this. */
  constructor({ file, limit, clock }: BudgetOptions) {
    if (limit < 0n || limit > LARGEST_BUDGET) throw new RangeError('the budget is out of range')
    this.#limit = limit
    this.#clock = clock
    const mask = process.umask(USER_ONLY)
    try {
      mkdirSync(dirname(file), { recursive: true })
      this.#database = new DatabaseSync(file, { timeout: LOCK_MS, readBigInts: true })
    } finally {
      process.umask(mask)
    }
    // Written through to the disk before a payment is signed, also for a loss of power.
    this.#database.exec(`
      pragma synchronous = full;
      create table if not exists payments (
        id integer primary key,
        at integer not null,
        units integer not null check (units >= 0),
        state text not null check (state in ('reserved', 'spent')),
        process integer not null,
        url text not null,
        transaction_hash text
      ) strict;
      create index if not exists payments_at on payments (at)`)
  }

  state(): BudgetState {
    const spent = this.#spent()
    return { spent, left: this.#left(spent) }
  }

  /** Sets `units` aside. Throws `BudgetExceeded`, and then nothing is changed. */
  reserve(units: bigint, { url }: { readonly url: string }): Reservation {
    const id = this.#insertWithin(units, url)
    return {
      spent: (used, transaction) => {
        const most = used < units ? used : units
        this.#database
          .prepare(
            "update payments set state = 'spent', units = ?, transaction_hash = ? where id = ?",
          )
          .run(most, transaction, id)
      },
      release: () => {
        this.#database.prepare("delete from payments where id = ? and state = 'reserved'").run(id)
      },
    }
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }

  #insertWithin(units: bigint, url: string): bigint {
    const database = this.#database
    // Takes the lock for writing before it reads: two processes that read the same sum would both spend it.
    database.exec('begin immediate')
    try {
      const left = this.#left(this.#spent())
      if (units > left) throw new BudgetExceeded(left)
      const { lastInsertRowid } = database
        .prepare('insert into payments (at, units, state, process, url) values (?, ?, ?, ?, ?)')
        .run(this.#clock.now(), units, 'reserved', process.pid, url)
      database.exec('commit')
      return BigInt(lastInsertRowid)
    } catch (error) {
      database.exec('rollback')
      throw error
    }
  }

  /** Also counts what lies in the future: a clock that was set back frees nothing. */
  #spent(): bigint {
    const since = this.#clock.now() - DAY_MS
    const row = this.#database
      .prepare('select coalesce(sum(units), 0) as spent from payments where at > ?')
      .get(since)
    return BigInt(String(row?.['spent'] ?? 0))
  }

  #left(spent: bigint): bigint {
    return spent < this.#limit ? this.#limit - spent : 0n
  }
}
