/**
 * Transactions that wait for a ledger: one for each source account, as stellar-core has it since
 * protocol 20's flooding rules; as many as two ledgers hold, of the lowest bids the first to go.
 */
import type { AccountId } from '../ledger/account-id.ts'
import type { LedgerReader } from '../ledger/entry-store.ts'
import { availableBalance } from '../ledger/reserves.ts'
import { loadAccount } from '../ledger/typed-entries.ts'
import type { Envelope } from './envelope.ts'
import { inclusionFee, xdrProvidesValidFee } from './fees.ts'
import { type LedgerLimits, type Phase, phaseOf } from './ledger-resources.ts'
import type { TransactionErrorCode } from './result.ts'
import { TxQueueLimiter } from './tx-queue-limiter.ts'

/** A fee bump replaces what waits for ten times its rate. */
const REPLACEMENT_FACTOR = 10n
/** Ledgers for which what was dropped or applied is not taken again. */
const BAN_LEDGERS = 10
/** Ledgers that close without a transaction before it is dropped. */
const PATIENCE = 4

export type Admission =
  | { readonly kind: 'free' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'later' }
  | { readonly kind: 'refused'; readonly code: TransactionErrorCode; readonly fee: bigint }

const malformed: Admission = { kind: 'refused', code: 'txMalformed', fee: 0n }

interface Place {
  readonly envelope: Envelope
  readonly age: number
  /** Part of a ledger in the making: not yet in history, no longer to be replaced. */
  readonly closing: boolean
}

export class TransactionQueue {
  readonly #places = new Map<AccountId, Place>()
  readonly #limits: Readonly<Record<Phase, TxQueueLimiter>>
  /** Ledger after which a hash may come again, in the order of these ledgers. */
  readonly #banned = new Map<string, number>()
  #ledger = 0

  constructor(room: LedgerLimits) {
    this.#limits = {
      classic: new TxQueueLimiter(room.classic),
      soroban: new TxQueueLimiter(room.soroban),
    }
  }

  /** Whether there is a place for it; says nothing about its validity. */
  admission(envelope: Envelope): Admission {
    if (this.#waitsInOtherPhase(envelope)) return { kind: 'later' }
    if (!xdrProvidesValidFee(envelope)) return malformed
    if (this.#banned.has(envelope.hash)) return { kind: 'later' }
    if (inclusionFee(envelope) < 0n) return malformed
    const place = this.#places.get(envelope.transaction.source)
    const answer = place && besides(place, envelope)
    if (answer) return answer
    const { minimum, fits } = this.#limits[phaseOf(envelope)].room(envelope, place?.envelope)
    if (fits) return { kind: 'free' }
    this.#ban(envelope)
    if (minimum === undefined) return { kind: 'later' }
    return { kind: 'refused', code: 'txInsufficientFee', fee: minimum }
  }

  /**
   * An account waits in one phase at a time: as the source of a transaction, or as the payer of one.
   * A sponsor of Soroban transactions must wait for them before it sends a classic one of its own.
   */
  #waitsInOtherPhase(envelope: Envelope): boolean {
    const { source } = envelope.transaction
    const other: Phase = phaseOf(envelope) === 'soroban' ? 'classic' : 'soroban'
    const place = this.#places.get(source)
    return (place && phaseOf(place.envelope) === other) || this.#limits[other].dueFrom(source) > 0n
  }

  /** Whether whoever pays could pay for everything of its phase that waits on them. */
  canPay(view: LedgerReader, envelope: Envelope): boolean {
    const payer = loadAccount(view, envelope.feeSource)
    if (!payer) return false
    const replaced = this.#places.get(envelope.transaction.source)?.envelope
    const saved = replaced?.feeSource === envelope.feeSource ? replaced.fee : 0n
    const due = this.#limits[phaseOf(envelope)].dueFrom(envelope.feeSource)
    return availableBalance(payer) >= due - saved + envelope.fee
  }

  /** Takes what was admitted, in place of what it replaces, and of the lowest bids when there is no room. */
  add(envelope: Envelope): void {
    const { source } = envelope.transaction
    const replaced = this.#places.get(source)
    const limit = this.#limits[phaseOf(envelope)]
    for (const evicted of limit.evictFor(envelope, replaced?.envelope)) this.drop(evicted)
    if (replaced) limit.remove(replaced.envelope)
    limit.add(envelope)
    this.#places.set(source, { envelope, age: replaced?.age ?? 0, closing: false })
  }

  /** Everything that waits becomes part of a ledger in the making; in order of arrival. */
  beginClosing(): readonly Envelope[] {
    for (const [source, place] of this.#places) {
      this.#places.set(source, { ...place, closing: true })
    }
    return this.waiting
  }

  get waiting(): readonly Envelope[] {
    return [...this.#places.values()].map(({ envelope }) => envelope)
  }

  /** `ledger` has closed with `applied`; what it left waits on, unless it has waited long enough. */
  endClosing(ledger: number, applied: readonly Envelope[]): void {
    this.#ledger = ledger
    for (const envelope of applied) this.#settle(envelope)
    for (const [source, { envelope, age }] of this.#places) {
      if (age + 1 === PATIENCE) this.drop(envelope)
      else this.#places.set(source, { envelope, age: age + 1, closing: false })
    }
    for (const limit of Object.values(this.#limits)) limit.forgetEvictions()
    for (const [hash, until] of this.#banned) {
      if (until > ledger) break
      this.#banned.delete(hash)
    }
  }

  /** Takes it out of the queue, and in again only much later. */
  drop(envelope: Envelope): void {
    this.#release(envelope)
    this.#ban(envelope)
  }

  /** What was applied uses up every lower number of its source, whoever waits on it. */
  #settle(applied: Envelope): void {
    const { source, sequence } = applied.transaction
    const place = this.#places.get(source)
    if (place && place.envelope.transaction.sequence <= sequence) this.#release(place.envelope)
    this.#ban(applied)
  }

  #release(envelope: Envelope): void {
    const { source } = envelope.transaction
    if (this.#places.get(source)?.envelope !== envelope) return
    this.#places.delete(source)
    this.#limits[phaseOf(envelope)].remove(envelope)
  }

  #ban({ hash }: Envelope): void {
    this.#banned.delete(hash)
    this.#banned.set(hash, this.#ledger + BAN_LEDGERS)
  }
}

/** What is answered because of what waits already for the same source; undefined where it may be replaced. */
function besides({ envelope: waiting, closing }: Place, envelope: Envelope): Admission | undefined {
  if (isSame(waiting, envelope)) return { kind: 'duplicate' }
  if (closing) return { kind: 'later' }
  const { sequence } = envelope.transaction
  if (sequence < waiting.transaction.sequence) {
    return { kind: 'refused', code: 'txBadSeq', fee: 0n }
  }
  if (!envelope.feeBump || sequence !== waiting.transaction.sequence) return { kind: 'later' }
  const needed = replacementFee(waiting, envelope)
  return needed === undefined
    ? undefined
    : { kind: 'refused', code: 'txInsufficientFee', fee: needed }
}

/** The same envelope, or the transaction that already waits inside a fee bump. */
const isSame = (waiting: Envelope, envelope: Envelope): boolean =>
  waiting.hash === envelope.hash ||
  (!envelope.feeBump && Buffer.compare(waiting.transaction.hash, envelope.transaction.hash) === 0)

/** The whole fee that would suffice, resource fee and all, when what is offered does not. */
function replacementFee(waiting: Envelope, envelope: Envelope): bigint | undefined {
  const oldOperations = BigInt(waiting.feeOperations)
  const bid = inclusionFee(envelope)
  const needed = REPLACEMENT_FACTOR * inclusionFee(waiting) * BigInt(envelope.feeOperations)
  if (bid * oldOperations >= needed) return undefined
  return (needed + oldOperations - 1n) / oldOperations + (envelope.fee - bid)
}
