import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { SignedAuthorization } from '../../buyer/signed-authorization.ts'
import type { Clock } from '../../core/clock.ts'
import { openBudgetFile } from './budget-file.ts'

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

/** What is known of a payment before its signature leaves the machine. */
export interface SignedPayment extends SignedAuthorization {
  readonly scheme: 'exact' | 'upto'
  readonly payTo: string
}

/** What the seller says became of a payment. */
export interface SellerWord {
  readonly outcome: 'settled' | 'refused' | 'unknown'
  readonly transaction: string | null
}

/** What was set aside for one payment. Until the ledger has shown otherwise, it counts as spent. */
export interface Reservation {
  readonly id: bigint
  /**
   * Records what was signed, before it is sent. False when the reservation is no longer there, because it was older than a call
   * can be: then nothing may be sent.
   */
  signed(payment: SignedPayment): boolean
  /** What the seller answered. What it names counts only where no ledger could show more. */
  answered(word: SellerWord): void
  /** Certainly no signed payment left this machine. */
  release(): void
}

export interface BudgetState {
  /** Base units that may be spent in 24 hours. */
  readonly limit: bigint
  /** Paid or set aside, in base units. */
  readonly spent: bigint
  readonly left: bigint
}

/** One call of the wallet. */
export interface RecordedPayment {
  readonly id: bigint
  /** Unix milliseconds. */
  readonly at: number
  /** Origin of the URL that was called. */
  readonly url: string
  /**
   * `reserved`: nothing was sent yet. `signed`: a signature was sent, and the ledger has not shown what became of it. `paid`: it took
   * `units`. `unpaid`: it expired unused.
   */
  readonly state: 'reserved' | 'signed' | 'paid' | 'unpaid'
  /** Base units that count for the budget. */
  readonly units: bigint
  readonly payment: SignedPayment | undefined
  /** As the seller says; undefined while it has said nothing. */
  readonly outcome: SellerWord['outcome'] | undefined
  /** As the ledger shows, else as the seller says. */
  readonly transaction: string | undefined
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
/** Longer than a call takes from its reservation to its signature. */
const ABANDONED_MS = 300_000
/** SQLite's numbers have 64 bits; sums of payments within limits stay below. */
export const LARGEST_BUDGET = 2n ** 62n

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
    this.#database = openBudgetFile(file)
  }

  state(): BudgetState {
    this.#dropAbandoned()
    return this.#state()
  }

  /** Sets `units` aside. Throws `BudgetExceeded`, and then nothing is changed. */
  reserve(units: bigint, { url }: { readonly url: string }): Reservation {
    const id = this.#insertWithin(units, url)
    return {
      id,
      signed: (payment) => this.#sign(id, payment),
      answered: (word) => this.#hear(id, word),
      release: () => {
        this.#run("delete from spending where id = ? and state in ('reserved', 'signed')", id)
      },
    }
  }

  /** The ledger has shown what became of a signed payment: what it took, or null when it expired unused. */
  resolve(id: bigint, paid: { readonly units: bigint; readonly transaction: string } | null): void {
    const [state, units] = paid ? ['paid', paid.units] : ['unpaid', 0n]
    this.#run(
      `update spending set state = ?, units = min(units, ?), transaction_hash = coalesce(?, transaction_hash)
        where id = ? and state = 'signed'`,
      ...[state, units, paid?.transaction ?? null, id],
    )
  }

  /** Payments that count, and those that expired unused meanwhile; newest first. */
  payments(most: number): readonly RecordedPayment[] {
    this.#dropAbandoned()
    return this.#database
      .prepare('select * from spending where at > ? order by id desc limit ?')
      .all(this.#since(), most)
      .map(readPayment)
  }

  /** Those of which the ledger has not shown yet what became of them; oldest first. */
  unresolved(): readonly (RecordedPayment & { readonly payment: SignedPayment })[] {
    return this.#database
      .prepare("select * from spending where at > ? and state = 'signed' order by id")
      .all(this.#since())
      .map(readPayment)
      .flatMap(({ payment, ...rest }) => (payment ? [{ ...rest, payment }] : []))
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }

  #insertWithin(units: bigint, url: string): bigint {
    const database = this.#database
    // Takes the lock for writing before it reads: two processes that read the same sum would both spend it.
    database.exec('begin immediate')
    try {
      this.#dropAbandoned()
      const { left } = this.#state()
      if (units > left) throw new BudgetExceeded(left)
      const { lastInsertRowid } = database
        .prepare('insert into spending (at, units, state, url) values (?, ?, ?, ?)')
        .run(this.#clock.now(), units, 'reserved', url)
      database.exec('commit')
      return BigInt(lastInsertRowid)
    } catch (error) {
      database.exec('rollback')
      throw error
    }
  }

  #sign(id: bigint, { scheme, payTo, ...signed }: SignedPayment): boolean {
    const { asset, payer, nonce, afterLedger, lastLedger } = signed
    const changed = this.#run(
      `update spending set state = 'signed', scheme = ?, asset = ?, payer = ?, pay_to = ?, nonce = ?,
        after_ledger = ?, last_ledger = ? where id = ? and state = 'reserved' and at > ?`,
      ...[scheme, asset, payer, payTo, String(nonce), afterLedger, lastLedger, id],
      this.#clock.now() - ABANDONED_MS,
    )
    return changed === 1n
  }

  /** A fixed price cannot be taken twice. Of a metered one the seller could have taken more than it says. */
  #hear(id: bigint, { outcome, transaction }: SellerWord): void {
    this.#run(
      `update spending set outcome = ?, transaction_hash = coalesce(transaction_hash, ?),
        state = case when ? = 'settled' and scheme = 'exact' then 'paid' else state end
        where id = ? and state = 'signed'`,
      ...[outcome, transaction, outcome, id],
    )
  }

  /** Nothing of these was sent, and nothing will be: `signed` refuses them. */
  #dropAbandoned(): void {
    const before = this.#clock.now() - ABANDONED_MS
    this.#run("delete from spending where state = 'reserved' and at <= ?", before)
  }

  /** Also counts what lies in the future: a clock that was set back frees nothing. */
  #state(): BudgetState {
    const row = this.#database
      .prepare('select coalesce(sum(units), 0) as spent from spending where at > ?')
      .get(this.#since())
    const spent = BigInt(String(row?.['spent'] ?? 0))
    const limit = this.#limit
    return { limit, spent, left: spent < limit ? limit - spent : 0n }
  }

  #since(): number {
    return this.#clock.now() - COUNTED_MS
  }

  #run(sql: string, ...values: readonly (bigint | number | string | null)[]): bigint {
    return BigInt(this.#database.prepare(sql).run(...values).changes)
  }
}

type Row = Readonly<Record<string, SQLOutputValue>>

function readPayment(row: Row): RecordedPayment {
  const text = (name: string) => String(row[name])
  const textOrNone = (name: string) => (row[name] === null ? undefined : text(name))
  const units = (name: string) => BigInt(text(name))
  const payment = {
    scheme: text('scheme') as SignedPayment['scheme'],
    asset: text('asset'),
    payer: text('payer'),
    payTo: text('pay_to'),
    nonce: row['nonce'] === null ? 0n : units('nonce'),
    afterLedger: Number(row['after_ledger']),
    lastLedger: Number(row['last_ledger']),
  }
  return {
    id: units('id'),
    at: Number(row['at']),
    url: text('url'),
    state: text('state') as RecordedPayment['state'],
    units: units('units'),
    payment: row['nonce'] === null ? undefined : payment,
    outcome: textOrNone('outcome') as RecordedPayment['outcome'],
    transaction: textOrNone('transaction_hash'),
  }
}
