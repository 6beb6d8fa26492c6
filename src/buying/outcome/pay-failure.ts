/** Why a call did not end with a paid answer, and whether the payment was made. */

import type { ShownAnswer } from '../seller/shown-answer.ts'
import type { Receipt } from './receipt.ts'

/** Programs can rely on the codes; the sentences may change. */
export const payFailures = {
  bad_seed: { exit: 78, paid: false },
  unreachable: { exit: 1, paid: false },
  untrusted: { exit: 1, paid: false },
  /** The URL leads to an address that may not be called: not public, or none of HTTP. */
  unsafe_address: { exit: 1, paid: false },
  timed_out: { exit: 1, paid: false },
  redirected: { exit: 1, paid: false },
  no_price: { exit: 1, paid: false },
  not_payable: { exit: 1, paid: false },
  /** The seller takes another token than the buyer pays in. */
  other_asset: { exit: 1, paid: false },
  too_expensive: { exit: 1, paid: false },
  /** The seller asks other terms than it quoted. */
  offer_changed: { exit: 1, paid: false },
  rpc_unreachable: { exit: 1, paid: false },
  rpc_untrusted: { exit: 1, paid: false },
  rpc_unreadable: { exit: 1, paid: false },
  rpc_other_network: { exit: 1, paid: false },
  /** It names a latest ledger that cannot be the latest one. */
  rpc_implausible: { exit: 1, paid: false },
  no_account: { exit: 1, paid: false },
  no_trustline: { exit: 1, paid: false },
  too_little: { exit: 1, paid: false },
  seller_cannot_receive: { exit: 1, paid: false },
  /** The contract account takes no signature of the key. */
  wrong_key: { exit: 1, paid: false },
  /** A policy of the contract account refuses the payment, and nothing was signed. */
  policy_refused: { exit: 1, paid: false },
  not_signed: { exit: 1, paid: false },
  /** The payment could not be recorded, so it was not signed. */
  not_recorded: { exit: 1, paid: false },
  /** The contract account refuses the payment in a simulation; the seller does not have it, but the Stellar RPC does. */
  account_refused: { exit: 2, paid: null },
  /** The seller says that it was not paid; it holds the signed payment and can settle it until it expires. */
  refused: { exit: 2, paid: null },
  /** A payment was signed, and may have been sent: it may have been settled, or may still be. */
  outcome_unknown: { exit: 2, paid: null },
  /** The seller knows the identifier of the payment from another payment; it holds this one, and can settle it until it expires. */
  identifier_conflict: { exit: 2, paid: null },
  /** An earlier payment for the same call is open, and nothing was signed. */
  payment_open: { exit: 75, paid: null },
  /** It was settled, but the answer is an error. */
  paid_without_answer: { exit: 2, paid: true },
} as const satisfies Record<string, { exit: 1 | 2 | 75 | 78; paid: boolean | null }>

export type PayFailureCode = keyof typeof payFailures

interface Details {
  readonly hint?: string | undefined
  readonly transaction?: string | undefined
  readonly answer?: ShownAnswer | undefined
  readonly reason?: string | undefined
  readonly receipt?: Receipt | undefined
  readonly cause?: unknown
}

/** The message says what happened, `hint` what to do; both without a full stop at the end of the message. */
export class PayFailure extends Error {
  override readonly name = 'PayFailure'
  readonly code: PayFailureCode
  readonly hint: string | undefined
  /** Hash of the settlement's transaction, where the answer names it. */
  readonly transaction: string | undefined
  /** The seller's answer, where it explains the failure. */
  readonly answer: ShownAnswer | undefined
  /** Why the seller or its facilitator says that the call is not paid for: a code, where it names one. */
  readonly reason: string | undefined
  /** The receipt of the payment that was sent; undefined when none was. */
  readonly receipt: Receipt | undefined

  constructor(code: PayFailureCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.hint = details.hint
    this.transaction = details.transaction
    this.answer = details.answer
    this.reason = details.reason
    this.receipt = details.receipt
  }

  with(changes: Pick<Details, 'hint' | 'receipt'>): PayFailure {
    const { code, message, ...details } = this
    return new PayFailure(code, message, { ...details, cause: this.cause, ...changes })
  }

  /** False: certainly not, no signed payment was sent. Null: unknown. */
  get paid(): boolean | null {
    return payFailures[this.code].paid
  }

  /**
   * Whether a signed payment was sent. Its seller could settle it until it expires, whatever the seller says: a budget
   * counts it as spent.
   */
  get isSent(): boolean {
    return this.paid !== false
  }
}
