import type { DatabaseSync } from 'node:sqlite'
import { isMetered, schemeNames } from '../../payments/protocol/schemes.ts'
import { originOf } from '../../platform/core/mcp-tool-url.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { SellerCall } from '../seller/seller-http.ts'
import type { AuthorizationOutcome } from '../sign/signed-authorization.ts'
import { openBudgetFile } from './budget-file.ts'
import type { ProcessLock } from './process-lock.ts'
import { type HeldPurchase, Purchases, purchaseOf } from './purchases.ts'
import {
  type RecordedPayment,
  readPayment,
  type SellerWord,
  type SignedPayment,
} from './recorded-payment.ts'

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

/** A payment of the same payer and nonce is recorded already. The ledger takes only one of them, so that neither row could be explained. */
export class NonceSignedBefore extends Error {
  override readonly name = 'NonceSignedBefore'
}

/** The amount that was set aside for one payment. Until the ledger has shown otherwise, it counts as spent. */
export interface Reservation extends HeldPurchase {
  /**
   * Records what is about to be signed. False when the reservation is no longer there, because it was older than a call
   * can be: then nothing may be signed, nor when it throws `NonceSignedBefore`.
   */
  signed(payment: SignedPayment): boolean
  /** Keeps the payment as it is about to be sent, so that a later process can send the same again. */
  sending(header: string): void
  /**
   * Keeps the answer of the seller to be shown. It gives nothing back.
   *
   * @param isOver whether the buyer has what it paid for: then the next call of the same kind is another purchase
   */
  answered(word: SellerWord, isOver: boolean): void
  /** Gives back what was not signed; a signed payment only the ledger ends, or the owner. */
  release(): void
}

export interface BudgetState {
  /** Base units that may be spent in 24 hours. */
  readonly limit: bigint
  /** Paid or set aside, in base units. */
  readonly spent: bigint
  /** The part of `spent` that the ledger cannot explain: it counts until the owner ends it. */
  readonly unexplained: bigint
  readonly left: bigint
}

export interface BudgetOptions {
  /** Path of the file; its folder is made. Several processes may share it. */
  readonly file: string
  /** Base units that may be spent in any 24 hours, at most 2^62. */
  readonly limit: bigint
  readonly clock: Pick<Clock, 'now'>
}

/** A signature is valid for up to 15 minutes: a payment can reach the ledger that much later than it was set aside. */
const COUNTED_MS = 25 * 3_600_000
type MovedTransfer = Extract<AuthorizationOutcome, { state: 'moved' }>

/** Longer than a call takes from its reservation to its signature. */
const ABANDONED_MS = 300_000
/** SQLITE_CONSTRAINT_UNIQUE */
const UNIQUE_BROKEN = 2_067
/** SQLite's numbers have 64 bits; sums of payments within limits stay below. */
export const LARGEST_BUDGET = 2n ** 62n

/**
 * No time ends what was signed: a network that stood still for a day can still take it, and what no ledger explains may have been
 * taken at any time before that was seen.
 */
const IS_OPEN = "state in ('signed', 'unexplained')"
const COUNTS = `(at > ? or ${IS_OPEN})`
/** `where` clause: the buyer signed the price, and no ceiling. */
const IS_FIXED = `scheme in (${schemeNames
  .filter((name) => !isMetered(name))
  .map((name) => `'${name}'`)
  .join()})`

/**
 * Keeps the sums that were spent in a file that outlives the process. A payment is reserved on disk before it is signed, in a transaction
 * that only one process at a time can make, and counts from then on: a process that dies at any point has spent at least
 * what its file says. So in any 24 hours no more than the limit leaves the wallet.
 */
export class Budget implements Disposable {
  readonly #database: DatabaseSync
  readonly #limit: bigint
  readonly #clock: Pick<Clock, 'now'>
  /** The purchases whose buyer has paid, or may have, and has no answer. */
  readonly purchases: Purchases

  /** Throws when the file cannot be opened, or is none of this. */
  constructor({ file, limit, clock }: BudgetOptions) {
    if (limit < 0n || limit > LARGEST_BUDGET) throw new RangeError('the budget is out of range')
    this.#limit = limit
    this.#clock = clock
    this.#database = openBudgetFile(file)
    this.purchases = new Purchases(this.#database, file)
  }

  state(): BudgetState {
    this.#dropAbandoned()
    return this.#state()
  }

  /**
   * Sets `units` aside for a call. Throws `BudgetExceeded`, and then nothing is changed.
   *
   * @param units 0n for a payment that no budget counts
   */
  reserve(units: bigint, call: SellerCall): Reservation {
    const id = this.#insertWithin(units, call)
    let lock: ProcessLock | undefined
    return {
      id,
      get lock() {
        return lock
      },
      signed: (payment) => {
        lock = this.purchases.hold(id)
        return this.#sign(id, payment)
      },
      sending: (header) => this.purchases.keep(id, header),
      answered: (word, isOver) => this.answered({ id, lock }, word, isOver),
      release: () => {
        this.#run("delete from spending where id = ? and state = 'reserved'", id)
      },
    }
  }

  /** Does what `Reservation.answered` does, for a payment that another process made. */
  answered(held: HeldPurchase, word: SellerWord, isOver: boolean): void {
    // First: to other processes one with a word of its seller, and not over, is one to resume.
    if (isOver) this.purchases.end(held.id)
    this.#hear(held.id, word)
    if (!isOver) this.purchases.leave(held)
  }

  /** Records the outcome that the ledger shows for a signed payment. An unexplained payment counts as spent until its owner ends it. */
  resolve(id: bigint, outcome: AuthorizationOutcome): void {
    switch (outcome.state) {
      case 'open':
        return
      case 'unexplained':
        if (outcome.because === 'not_retained') this.#endLongAgo(id)
        this.#run(
          `update spending set state = 'unexplained', because = ? where id = ? and ${IS_OPEN}`,
          ...[outcome.because, id],
        )
        return
      case 'moved':
        this.#end(id, 'paid', outcome)
        return
      case 'unused':
        this.#end(id, 'unpaid')
        this.purchases.end(id)
    }
  }

  /** Records the owner's finding for one of `endable`. @returns false for any other payment */
  endByOwner(id: bigint, state: 'paid' | 'unpaid'): boolean {
    const isEnded = this.endable().some((each) => each.id === id) && this.#end(id, state)
    if (isEnded) this.purchases.end(id)
    return isEnded
  }

  /** Payments that only the owner can end: unexplained ones, and those that no ledger has ended in 25 hours; oldest first. */
  endable(): readonly RecordedPayment[] {
    return this.#database
      .prepare(
        "select * from spending where state = 'unexplained' or (state = 'signed' and at <= ?) order by id",
      )
      .all(this.#since())
      .map(readPayment)
  }

  /** Payments that count, and those that expired unused meanwhile; newest first. */
  payments(most: number): readonly RecordedPayment[] {
    this.#dropAbandoned()
    return this.#database
      .prepare(`select * from spending where ${COUNTS} order by id desc limit ?`)
      .all(this.#since(), most)
      .map(readPayment)
  }

  /** Signed payments whose outcome the ledger has not shown yet; oldest first. */
  unresolved(): readonly (RecordedPayment & { readonly payment: SignedPayment })[] {
    return this.#database
      .prepare(`select * from spending where ${IS_OPEN} order by id`)
      .all()
      .map(readPayment)
      .flatMap(({ payment, ...rest }) => (payment ? [{ ...rest, payment }] : []))
  }

  [Symbol.dispose](): void {
    this.purchases[Symbol.dispose]()
    this.#database.close()
  }

  /**
   * An amount that the ledger took may have been taken late, when the network stood still: it counts from then on. A fixed price is taken
   * whole or not at all, so that no smaller transfer stands for it.
   */
  #end(id: bigint, state: 'paid' | 'unpaid', moved?: MovedTransfer): boolean {
    const most = state === 'unpaid' ? 0n : (moved?.amount ?? LARGEST_BUDGET)
    const changed = this.#run(
      `update spending set state = ?, units = iif(${IS_FIXED} and ? = 'paid', units, min(units, ?)), at = max(at, ?), because = null,
        transaction_hash = coalesce(?, transaction_hash) where id = ? and ${IS_OPEN}`,
      ...[state, state, most, moved?.closedAtMs ?? 0, moved?.transaction ?? null, id],
    )
    return changed === 1n
  }

  /**
   * A fixed price that its seller calls settled, in ledgers that no endpoint has any more: it was taken before now, if it was, and
   * counts from now on as long as if it had been taken now.
   */
  #endLongAgo(id: bigint): void {
    this.#run(
      `update spending set state = 'paid', because = null, at = max(at, ?)
        where id = ? and ${IS_OPEN} and ${IS_FIXED} and outcome = 'settled'`,
      ...[this.#clock.now(), id],
    )
  }

  #insertWithin(units: bigint, call: SellerCall): bigint {
    const database = this.#database
    // Takes the lock for writing before it reads: two processes that read the same sum would both spend it.
    database.exec('begin immediate')
    try {
      this.#dropAbandoned()
      const { left } = this.#state()
      if (units > left) throw new BudgetExceeded(left)
      const { lastInsertRowid } = database
        .prepare('insert into spending (at, units, state, url, purchase) values (?, ?, ?, ?, ?)')
        .run(this.#clock.now(), units, 'reserved', originOf(call.url), purchaseOf(call))
      database.exec('commit')
      return BigInt(lastInsertRowid)
    } catch (error) {
      database.exec('rollback')
      throw error
    }
  }

  #sign(id: bigint, { scheme, payTo, ...signed }: SignedPayment): boolean {
    const { asset, payer, nonce, afterLedger, lastLedger } = signed
    try {
      const changed = this.#run(
        `update spending set state = 'signed', scheme = ?, asset = ?, payer = ?, pay_to = ?, nonce = ?,
          after_ledger = ?, last_ledger = ? where id = ? and state = 'reserved' and at > ?`,
        ...[scheme, asset, payer, payTo, String(nonce), afterLedger, lastLedger, id],
        this.#clock.now() - ABANDONED_MS,
      )
      if (changed === 0n) this.purchases.end(id)
      return changed === 1n
    } catch (error) {
      this.purchases.end(id)
      if (Object(error).errcode !== UNIQUE_BROKEN) throw error
      throw new NonceSignedBefore(`the payer ${payer} has signed the nonce ${nonce} before`)
    }
  }

  /**
   * The state stays: a seller that calls a payment settled can still take it later, and the ledger is asked about open payments alone.
   * It can have shown this one as paid before the answer came.
   */
  #hear(id: bigint, { outcome, transaction }: SellerWord): void {
    this.#run(
      `update spending set outcome = ?, transaction_hash = coalesce(transaction_hash, ?)
        where id = ? and state in ('signed', 'paid')`,
      ...[outcome, transaction, id],
    )
  }

  /** Nothing of these was signed, and nothing will be: `signed` refuses them. */
  #dropAbandoned(): void {
    const before = this.#clock.now() - ABANDONED_MS
    this.#run("delete from spending where state = 'reserved' and at <= ?", before)
  }

  /** Also counts what lies in the future: a clock that was set back frees nothing. */
  #state(): BudgetState {
    const row = this.#database
      .prepare(
        `select coalesce(sum(units), 0) as spent,
          coalesce(sum(case when state = 'unexplained' then units end), 0) as unexplained
          from spending where ${COUNTS}`,
      )
      .get(this.#since())
    const sum = (name: 'spent' | 'unexplained') => BigInt(String(row?.[name] ?? 0))
    const [spent, unexplained, limit] = [sum('spent'), sum('unexplained'), this.#limit]
    return { limit, spent, unexplained, left: spent < limit ? limit - spent : 0n }
  }

  #since(): number {
    return this.#clock.now() - COUNTED_MS
  }

  #run(sql: string, ...values: readonly (bigint | number | string | null)[]): bigint {
    return BigInt(this.#database.prepare(sql).run(...values).changes)
  }
}
