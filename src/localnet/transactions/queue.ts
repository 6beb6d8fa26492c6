/**
 * Transactions that wait for the next ledger: one for each source account, as stellar-core has it
 * since protocol 20's flooding rules.
 */
import type { AccountId } from '../ledger/account-id.ts'
import type { LedgerView } from '../ledger/entry-store.ts'
import { availableBalance } from '../ledger/reserves.ts'
import { loadAccount } from '../ledger/typed-entries.ts'
import type { Envelope } from './envelope.ts'
import { inclusionFee } from './fees.ts'
import type { TransactionProblem } from './verdict.ts'

/** A fee bump replaces what waits for ten times its rate. */
const REPLACEMENT_FACTOR = 10n

/** Ledgers for which what was dropped or applied is not taken again. */
const BAN_LEDGERS = 10

export type Admission =
  | { readonly kind: 'free' }
  | { readonly kind: 'replaces'; readonly waiting: Envelope }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'later' }
  | { readonly kind: 'refused'; readonly code: TransactionProblem; readonly fee: bigint }

export class TransactionQueue {
  #waiting = new Map<AccountId, Envelope>()
  /** Stroops that each payer bids for all that waits. */
  readonly #due = new Map<AccountId, bigint>()
  /** Those of a ledger in the making: not yet in history, no longer to be replaced. */
  #closing = new Map<AccountId, Envelope>()
  readonly #banned = new Map<string, number>()

  /** Whether there is a place for it; says nothing about its validity. */
  admission(envelope: Envelope): Admission {
    if (this.#banned.has(envelope.hash)) return { kind: 'later' }
    const { source, sequence } = envelope.transaction
    const closing = this.#closing.get(source)
    if (closing) return { kind: isSame(closing, envelope) ? 'duplicate' : 'later' }
    const waiting = this.#waiting.get(source)
    if (!waiting) return { kind: 'free' }
    if (isSame(waiting, envelope)) return { kind: 'duplicate' }
    if (sequence < waiting.transaction.sequence) {
      return { kind: 'refused', code: 'txBadSeq', fee: 0n }
    }
    if (!envelope.feeBump || sequence !== waiting.transaction.sequence) return { kind: 'later' }
    const needed = replacementFee(waiting, envelope)
    return needed === undefined
      ? { kind: 'replaces', waiting }
      : { kind: 'refused', code: 'txInsufficientFee', fee: needed }
  }

  /** Whether whoever pays could pay for everything that waits on them. */
  canPay(view: LedgerView, envelope: Envelope): boolean {
    const payer = loadAccount(view, envelope.feeSource)
    if (!payer) return false
    const replaced = this.#waiting.get(envelope.transaction.source)
    const saved = replaced?.feeSource === envelope.feeSource ? replaced.fee : 0n
    return availableBalance(payer) >= this.#dueFrom(envelope.feeSource) - saved + envelope.fee
  }

  add(envelope: Envelope): void {
    const { source } = envelope.transaction
    const replaced = this.#waiting.get(source)
    if (replaced) {
      this.#due.set(replaced.feeSource, this.#dueFrom(replaced.feeSource) - replaced.fee)
    }
    this.#waiting.set(source, envelope)
    this.#due.set(envelope.feeSource, this.#dueFrom(envelope.feeSource) + envelope.fee)
  }

  #dueFrom(payer: AccountId): bigint {
    return this.#due.get(payer) ?? 0n
  }

  /** Hands everything over to a ledger in the making, in order of arrival. */
  beginClosing(): readonly Envelope[] {
    this.#closing = this.#waiting
    this.#waiting = new Map()
    this.#due.clear()
    return [...this.#closing.values()]
  }

  /** `ledger` is the one just closed; what it took or dropped is banned for a while. */
  endClosing(ledger: number): void {
    for (const { hash } of this.#closing.values()) this.#banned.set(hash, ledger + BAN_LEDGERS)
    this.#closing = new Map()
    for (const [hash, until] of this.#banned) {
      if (until > ledger) break
      this.#banned.delete(hash)
    }
  }
}

/** The same envelope, or the transaction that already waits inside a fee bump. */
const isSame = (waiting: Envelope, envelope: Envelope): boolean =>
  waiting.hash === envelope.hash ||
  (!envelope.feeBump && Buffer.compare(waiting.transaction.hash, envelope.transaction.hash) === 0)

/** The inclusion fee that would suffice, when what is offered does not. */
function replacementFee(waiting: Envelope, envelope: Envelope): bigint | undefined {
  const oldOperations = BigInt(waiting.feeOperations)
  const needed = REPLACEMENT_FACTOR * inclusionFee(waiting) * BigInt(envelope.feeOperations)
  if (inclusionFee(envelope) * oldOperations >= needed) return undefined
  return (needed + oldOperations - 1n) / oldOperations
}
