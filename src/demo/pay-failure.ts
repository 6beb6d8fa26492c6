/** Why `svc pay` did not end with a paid answer, and whether the payment was made. */

/** Programs can rely on the codes; the sentences may change. */
export const payFailures = {
  bad_seed: { exit: 78, paid: false },
  unreachable: { exit: 1, paid: false },
  untrusted: { exit: 1, paid: false },
  redirected: { exit: 1, paid: false },
  no_price: { exit: 1, paid: false },
  not_payable: { exit: 1, paid: false },
  too_expensive: { exit: 1, paid: false },
  rpc_unreachable: { exit: 1, paid: false },
  rpc_untrusted: { exit: 1, paid: false },
  rpc_unreadable: { exit: 1, paid: false },
  rpc_other_network: { exit: 1, paid: false },
  no_account: { exit: 1, paid: false },
  no_trustline: { exit: 1, paid: false },
  too_little: { exit: 1, paid: false },
  seller_cannot_receive: { exit: 1, paid: false },
  not_signed: { exit: 1, paid: false },
  refused: { exit: 1, paid: false },
  /** A signed payment was sent: it may have been settled, or may still be. */
  outcome_unknown: { exit: 2, paid: null },
  /** It was settled, but the answer is an error. */
  paid_without_answer: { exit: 2, paid: true },
} as const satisfies Record<string, { exit: 1 | 2 | 78; paid: boolean | null }>

export type PayFailureCode = keyof typeof payFailures

/** The message says what happened, `hint` what to do; both without a full stop at the end of the message. */
export class PayFailure extends Error {
  override readonly name = 'PayFailure'
  readonly code: PayFailureCode
  readonly hint: string | undefined
  /** Of the settlement, where the answer names it. */
  readonly transaction: string | undefined

  constructor(
    code: PayFailureCode,
    message: string,
    { hint, transaction, cause }: { hint?: string; transaction?: string; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.code = code
    this.hint = hint
    this.transaction = transaction
  }
}
