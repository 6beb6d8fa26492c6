/**
 * The transactions that wait for a ledger: one for each source account, as in stellar-core since
 * protocol 20, and as many as two ledgers hold. Beyond that the lowest fee rates are evicted.
 */
import type { AccountId } from '../../ledger/account-id.ts'
import type { LedgerReader } from '../../ledger/entry-store.ts'
import { availableBalance } from '../../ledger/reserves.ts'
import { loadAccount } from '../../ledger/typed-entries.ts'
import type { TransactionErrorCode } from '../apply/result.ts'
import type { Envelope } from '../envelope.ts'
import { inclusionFee, xdrProvidesValidFee } from '../fees/fees.ts'
import { type LedgerLimits, type Phase, phaseOf } from '../soroban/ledger-resources.ts'
import { TxQueueLimiter } from './tx-queue-limiter.ts'

/** A fee bump replaces a pending transaction at this multiple of its fee rate. */
const FEE_MULTIPLIER = 10n
/** Ledgers for which a dropped or applied transaction is not accepted again. */
const BAN_LEDGERS = 10
/** A transaction is dropped after this many ledgers without it. */
const PENDING_LEDGERS = 4

/** An answer of stellar-core's queue; `ok` still needs the checks of validity and of the balance. */
export type QueueAnswer =
  | { readonly kind: 'ok' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'tryAgainLater' }
  | { readonly kind: 'error'; readonly code: TransactionErrorCode; readonly feeCharged: bigint }

const tryAgainLater: QueueAnswer = { kind: 'tryAgainLater' }
const malformed: QueueAnswer = { kind: 'error', code: 'txMalformed', feeCharged: 0n }

interface Pending {
  readonly envelope: Envelope
  /** Ledgers closed since it came. */
  readonly age: number
  /** Part of the ledger that is being closed, so that it can no longer be replaced. */
  readonly closing: boolean
}

export class TransactionQueue {
  /** By source account. */
  readonly #pending = new Map<AccountId, Pending>()
  readonly #limiters: Readonly<Record<Phase, TxQueueLimiter>>
  /** The last ledger in which a hash is refused; ordered by that ledger. */
  readonly #banned = new Map<string, number>()
  #ledger = 0

  constructor(limits: LedgerLimits) {
    this.#limiters = {
      classic: new TxQueueLimiter(limits.classic),
      soroban: new TxQueueLimiter(limits.soroban),
    }
  }

  canAdd(envelope: Envelope): QueueAnswer {
    if (this.#isPendingInOtherPhase(envelope)) return tryAgainLater
    if (!xdrProvidesValidFee(envelope)) return malformed
    if (this.#banned.has(envelope.hash)) return tryAgainLater
    if (inclusionFee(envelope) < 0n) return malformed
    const pending = this.#pending.get(envelope.transaction.source)
    const answer = pending && canReplace(pending, envelope)
    if (answer) return answer
    const limiter = this.#limiters[phaseOf(envelope)]
    const { canAdd, minFee } = limiter.canAddTx(envelope, pending?.envelope)
    if (canAdd) return { kind: 'ok' }
    this.#ban(envelope)
    if (minFee === undefined) return tryAgainLater
    return { kind: 'error', code: 'txInsufficientFee', feeCharged: minFee }
  }

  /**
   * An account has pending transactions in one phase only, as their source or as their fee source. So
   * the sponsor of pending Soroban transactions cannot send a classic one of its own.
   */
  #isPendingInOtherPhase(envelope: Envelope): boolean {
    const { source } = envelope.transaction
    const other: Phase = phaseOf(envelope) === 'soroban' ? 'classic' : 'soroban'
    const pending = this.#pending.get(source)
    return (
      (pending && phaseOf(pending.envelope) === other) ||
      this.#limiters[other].totalFeesOf(source) > 0n
    )
  }

  /** Whether the fee source can pay for this and all its pending transactions of the phase. */
  canPay(reader: LedgerReader, envelope: Envelope): boolean {
    const payer = loadAccount(reader, envelope.feeSource)
    if (!payer) return false
    const replaced = this.#pending.get(envelope.transaction.source)?.envelope
    const saved = replaced?.feeSource === envelope.feeSource ? replaced.fee : 0n
    const total = this.#limiters[phaseOf(envelope)].totalFeesOf(envelope.feeSource)
    return availableBalance(payer) >= total - saved + envelope.fee
  }

  /** Replaces the source's pending transaction, and evicts lower fee rates. Requires `canAdd`. */
  add(envelope: Envelope): void {
    const { source } = envelope.transaction
    const replaced = this.#pending.get(source)
    const limiter = this.#limiters[phaseOf(envelope)]
    for (const evicted of limiter.evictTransactions(envelope, replaced?.envelope)) {
      this.drop(evicted)
    }
    if (replaced) limiter.removeTransaction(replaced.envelope)
    limiter.addTransaction(envelope)
    this.#pending.set(source, { envelope, age: replaced?.age ?? 0, closing: false })
  }

  /** Locks all pending transactions for the ledger about to close; in order of arrival. */
  beginClosing(): readonly Envelope[] {
    for (const [source, pending] of this.#pending) {
      this.#pending.set(source, { ...pending, closing: true })
    }
    return this.envelopes
  }

  get envelopes(): readonly Envelope[] {
    return [...this.#pending.values()].map(({ envelope }) => envelope)
  }

  /** `ledger` closed with `applied`: removes those, and ages the rest. */
  endClosing(ledger: number, applied: readonly Envelope[]): void {
    this.#ledger = ledger
    for (const envelope of applied) this.#removeApplied(envelope)
    for (const [source, { envelope, age }] of this.#pending) {
      if (age + 1 === PENDING_LEDGERS) this.drop(envelope)
      else this.#pending.set(source, { envelope, age: age + 1, closing: false })
    }
    for (const limiter of Object.values(this.#limiters)) limiter.resetEvictionState()
    for (const [hash, until] of this.#banned) {
      if (until > ledger) break
      this.#banned.delete(hash)
    }
  }

  /** Removes the transaction and bans it. */
  drop(envelope: Envelope): void {
    this.#remove(envelope)
    this.#ban(envelope)
  }

  /** An applied transaction makes every lower sequence number of its source unusable. */
  #removeApplied(applied: Envelope): void {
    const { source, sequence } = applied.transaction
    const pending = this.#pending.get(source)
    if (pending && pending.envelope.transaction.sequence <= sequence) this.#remove(pending.envelope)
    this.#ban(applied)
  }

  #remove(envelope: Envelope): void {
    const { source } = envelope.transaction
    if (this.#pending.get(source)?.envelope !== envelope) return
    this.#pending.delete(source)
    this.#limiters[phaseOf(envelope)].removeTransaction(envelope)
  }

  #ban({ hash }: Envelope): void {
    this.#banned.delete(hash)
    this.#banned.set(hash, this.#ledger + BAN_LEDGERS)
  }
}

/** The answer when the source has a pending transaction; undefined when it may be replaced. */
function canReplace(
  { envelope: pending, closing }: Pending,
  envelope: Envelope,
): QueueAnswer | undefined {
  if (isDuplicate(pending, envelope)) return { kind: 'duplicate' }
  if (closing) return tryAgainLater
  const { sequence } = envelope.transaction
  if (sequence < pending.transaction.sequence) {
    return { kind: 'error', code: 'txBadSeq', feeCharged: 0n }
  }
  if (!envelope.feeBump || sequence !== pending.transaction.sequence) return tryAgainLater
  const needed = replacementFee(pending, envelope)
  return needed === undefined
    ? undefined
    : { kind: 'error', code: 'txInsufficientFee', feeCharged: needed }
}

/** The same envelope, or the inner transaction of a pending fee bump. */
const isDuplicate = (pending: Envelope, envelope: Envelope): boolean =>
  pending.hash === envelope.hash ||
  (!envelope.feeBump && Buffer.compare(pending.transaction.hash, envelope.transaction.hash) === 0)

/** The whole fee needed, resource fee included; undefined when the offered one suffices. */
function replacementFee(pending: Envelope, envelope: Envelope): bigint | undefined {
  const pendingOperations = BigInt(pending.feeOperations)
  const bid = inclusionFee(envelope)
  const needed = FEE_MULTIPLIER * inclusionFee(pending) * BigInt(envelope.feeOperations)
  if (bid * pendingOperations >= needed) return undefined
  return (needed + pendingOperations - 1n) / pendingOperations + (envelope.fee - bid)
}
