import { decimalAmount } from '../../../platform/core/amounts/decimal.ts'
import { BudgetExceeded } from '../../budget/budget.ts'
import { USDC_DECIMALS } from '../../offer/usdc.ts'
import { PayFailure, type PayFailureCode } from '../../outcome/pay-failure.ts'
import { ExplainedFailure, type FailureAdvice } from '../answers/tool-failure.ts'
import { shownReceipt } from './shown-receipt.ts'

const final = (next: string): FailureAdvice => ({ retryable: false, next })
const later = (next: string): FailureAdvice => ({ retryable: true, next })

const OTHER = 'Choose another resource.'
const WALLET = 'Tell the user: the wallet is not ready.'
const RPC = 'Tell the user: the configured Stellar RPC does not work.'

/** The event, in words that no seller wrote, and the advice, by the buyer's code. */
const failures: Readonly<Record<PayFailureCode, readonly [reason: string, advice: FailureAdvice]>> =
  {
    bad_seed: ['the wallet has no valid seed', final(WALLET)],
    unreachable: ['the resource does not answer', later(OTHER)],
    untrusted: ['the certificate of the resource is not valid', final(OTHER)],
    unsafe_address: ['the URL leads to an address that may not be called', final(OTHER)],
    timed_out: ['the resource did not answer in time', later(OTHER)],
    redirected: ['the resource redirects, and no redirect is followed', final(OTHER)],
    no_price: ['the resource asks for no payment', final('Call it without paying, if you can.')],
    not_payable: ['nothing it offers can be paid here', final(OTHER)],
    other_asset: ['it takes another asset than USDC', final(OTHER)],
    too_expensive: [
      'it costs more than max',
      final('Choose another resource, or ask the user for a higher max.'),
    ],
    offer_changed: [
      'the seller changed its offer between the price and the payment',
      final('Do not trust this seller. Choose another resource.'),
    ],
    rpc_unreachable: ['the Stellar RPC does not answer', later(RPC)],
    rpc_untrusted: ['the certificate of the Stellar RPC is not valid', final(RPC)],
    rpc_unreadable: ['the Stellar RPC answers something else', final(RPC)],
    rpc_implausible: ['the Stellar RPC names a latest ledger that cannot be it', final(RPC)],
    rpc_other_network: ['the Stellar RPC serves another network', final(RPC)],
    no_account: ["the wallet's account does not exist", final(WALLET)],
    no_trustline: ['the wallet has no trustline for USDC', final(WALLET)],
    too_little: ['the wallet holds too little USDC', final(WALLET)],
    wrong_key: ["the wallet's key does not sign for its account", final(WALLET)],
    policy_refused: [
      "a policy of the wallet's account refuses the payment",
      final('Choose a cheaper resource, or tell the user that the account does not allow this.'),
    ],
    account_refused: [
      "the wallet's account refuses the payment, and the seller did not get it",
      final(
        'It counts as spent until it has expired, some minutes after it was signed. Tell the user that the account does not allow this.',
      ),
    ],
    seller_cannot_receive: ['the seller cannot receive USDC', final(OTHER)],
    not_signed: ['the payment could not be signed', final(OTHER)],
    not_recorded: ['the payment could not be recorded, and was not signed', final(WALLET)],
    identifier_conflict: [
      'the seller knows the identifier of this payment from another one',
      final(
        'It counts as spent until the ledger shows otherwise. Do not trust this seller; list_payments shows what became of it.',
      ),
    ],
    payment_open: [
      'an earlier payment for the same call is open, and nothing more was signed',
      later(
        'Call again with the same arguments once it has expired, some minutes after it was signed; list_payments shows what became of it.',
      ),
    ],
    refused: [
      'the seller refused the payment, which it could still settle until it expires',
      final(
        'It counts as spent until the ledger shows otherwise. Do not pay this seller again; list_payments shows what became of it.',
      ),
    ],
    outcome_unknown: [
      'a payment was signed, and its outcome is unknown',
      final(
        'It counts as spent until the ledger shows otherwise. The same call again pays nothing more while this payment is open; list_payments shows what became of it.',
      ),
    ],
    paid_without_answer: [
      'the payment was made, and the answer is an error',
      final('Do not pay again. Tell the user.'),
    ],
  }

/** An error of a payment as the caller of the tool understands it; any other error as it is. */
export function failureOfPayment(error: unknown): unknown {
  if (error instanceof BudgetExceeded) {
    const left = decimalAmount(error.left, USDC_DECIMALS)
    return new ExplainedFailure(`only ${left} USDC of the budget of 24 hours are left`, {
      code: 'budget_exceeded',
      advice: final(
        'Nothing was paid. Choose a cheaper resource, or tell the user; list_payments shows what the budget went to.',
      ),
      facts: { paid: false, left },
      cause: error,
    })
  }
  if (!(error instanceof PayFailure)) return error
  const { code, message, hint, answer, receipt, paid } = error
  const [reason, advice] = failures[code]
  return new ExplainedFailure(paid === false ? `${reason}; nothing was paid` : reason, {
    code,
    advice,
    facts: {
      paid,
      ...(receipt && { receipt: shownReceipt(receipt) }),
    },
    said: { message, hint, answer },
    cause: error,
  })
}
