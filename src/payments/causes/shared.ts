/** Causes of failure that the calls of every scheme have. */

import { baseAddress } from '../../stellar/accounts/strkey.ts'
import { type HostErrorEvent, sameError, showError } from '../../stellar/values/host-failure.ts'
import type { ScValue } from '../../stellar/values/sc-value.ts'
import type { OutcomeCodes } from '../schemes/scheme.ts'
import { anyError, type Cause, cause, type FailedCall, type PaymentParties } from './cause.ts'

const spentNonce = ({ authorizationUsed }: OutcomeCodes): Cause =>
  cause(authorizationUsed, ({ failure }) =>
    anyError(failure, ({ error }) => error.type === 'Auth' && error.code === 'ExistingValue')
      ? "the payer's authorization has been used already"
      : undefined,
  )

const expired = (codes: OutcomeCodes): Cause =>
  cause(codes.expired, ({ failure }) =>
    failure.errors.some(({ error, message }) => error.type === 'Auth' && /expired/.test(message))
      ? 'the authorization has expired'
      : undefined,
  )

const tooLate = ({ expirationTooFar }: OutcomeCodes): Cause =>
  cause(expirationTooFar, ({ failure }) =>
    failure.errors.some(
      ({ error, message }) => error.type === 'Auth' && /expiration is too late/.test(message),
    )
      ? 'the authorization expires later than the network allows'
      : undefined,
  )

const archived = cause('invalid_exact_stellar_payload_archived_state', ({ failure }) =>
  failure.errors.some(({ message }) => /archived/.test(message))
    ? 'a ledger entry that the payment needs is archived and must be restored first'
    : undefined,
)

/**
 * The host reports every failed authentication as `Error(Auth, InvalidAction)`, and in the
 * event's arguments whose it was and with which error it ended.
 */
function failedAuthentication({ failure, payment }: FailedCall): string | undefined {
  const event = failure.errors.find(({ message }) => /failed account authentication/.test(message))
  if (!event || !mentions(event, payment.payer)) return undefined
  const inner = event.args.find((arg) => arg.type === 'error')
  return inner?.type === 'error' ? showError(inner.error) : 'an unnamed error'
}

const payerMissing = cause(
  'invalid_exact_stellar_payload_account_missing',
  (facts) => {
    const { payer } = facts.payment
    // A smart account that reads a missing entry fails alike, but it ran.
    const hasRun = facts.failure.errors.some(({ contract }) => contract === payer)
    return !hasRun && failedAuthentication(facts) === 'Error(Storage, MissingValue)'
      ? `the payer ${payer} does not exist on the ledger`
      : undefined
  },
  'payer',
)

const wrongSignature = cause('invalid_exact_stellar_payload_invalid_signature', (facts) => {
  const error = failedAuthentication(facts)
  if (error === undefined) return undefined
  const isAccount = facts.payment.payer.startsWith('G')
  return isAccount || error.startsWith('Error(Crypto,')
    ? `the ledger refuses the signature of ${facts.payment.payer}: ${error}`
    : undefined
})

const smartAccountRefused = cause(
  'invalid_exact_stellar_payload_smart_account_rejected',
  (facts) => {
    const error = failedAuthentication(facts)
    return error && `the smart account ${facts.payment.payer} refused the call with ${error}`
  },
)

/** Errors of the built-in asset contract (CAP-46-06), by its numbers. */
const assetError = ({ payment, failure }: FailedCall, number: number): HostErrorEvent | undefined =>
  failure.errors.find(
    ({ error, contract }) =>
      contract === payment.asset.contract &&
      error.type === 'Contract' &&
      error.code === `#${number}` &&
      sameError(error, failure.final),
  )

const payerNotOnLedger = cause(
  'invalid_exact_stellar_payload_account_missing',
  (facts) => {
    const event = assetError(facts, 6)
    const { payer } = facts.payment
    return event && mentions(event, payer)
      ? `the payer ${payer} does not exist on the ledger`
      : undefined
  },
  'payer',
)

const accountMissing = cause('invalid_exact_stellar_payload_account_missing', (facts) => {
  const event = assetError(facts, 6)
  return event && `${otherParty(event, facts.payment)} does not exist on the ledger`
})

const payerTrustline = cause('invalid_exact_stellar_payload_payer_trustline_missing', (facts) => {
  const event = assetError(facts, 13)
  return event && mentions(event, facts.payment.payer)
    ? `the payer ${facts.payment.payer} holds no trustline to ${facts.payment.asset.symbol}`
    : undefined
})

const recipientTrustline = cause(
  'invalid_exact_stellar_payload_recipient_trustline_missing',
  (facts) => {
    const event = assetError(facts, 13)
    return event && mentions(event, baseAddress(facts.payment.payTo))
      ? `the recipient ${facts.payment.payTo} holds no trustline to ${facts.payment.asset.symbol}`
      : undefined
  },
)

const notAuthorized = cause(
  'invalid_exact_stellar_payload_trustline_not_authorized',
  (facts) =>
    assetError(facts, 11) &&
    `the issuer of ${facts.payment.asset.symbol} has not authorized the balance of one party`,
)

const shortOfFunds = cause('insufficient_funds', (facts) => {
  const event = assetError(facts, 10)
  return event && !exceedsLimit(event)
    ? `the payer ${facts.payment.payer} holds less ${facts.payment.asset.symbol} than the payment takes`
    : undefined
})

/** The asset contract uses #10 as well for a recipient whose trustline's limit would be passed. */
function exceedsLimit({ args }: HostErrorEvent): boolean {
  const [, result, max] = args.map((arg) => (arg.type === 'i64' ? arg.value : undefined))
  return result !== undefined && max !== undefined && result > max
}

const unauthorized = cause(
  'invalid_exact_stellar_payload_unauthorized_invocation',
  ({ failure }) => {
    const isAuth = failure.final?.type === 'Auth' && failure.final.code === 'InvalidAction'
    if (!isAuth) return undefined
    const event = failure.errors.find(({ message }) =>
      /[Uu]nauthorized function call/.test(message),
    )
    const whose = event?.args.find((arg) => arg.type === 'address')
    return whose?.type === 'address'
      ? `the call needs an authorization of ${whose.value} that was not given`
      : 'the call needs an authorization that was not given'
  },
)

/** The causes in the order in which they are recognized. */
export const sharedCauses = (codes: OutcomeCodes): readonly Cause[] => [
  spentNonce(codes),
  expired(codes),
  tooLate(codes),
  archived,
  payerMissing,
  wrongSignature,
  smartAccountRefused,
  payerNotOnLedger,
  accountMissing,
  payerTrustline,
  recipientTrustline,
  notAuthorized,
  shortOfFunds,
  unauthorized,
]

const mentions = ({ args }: HostErrorEvent, address: string): boolean =>
  args.some((arg: ScValue) => arg.type === 'address' && arg.value === address)

const otherParty = (event: HostErrorEvent, { payTo }: PaymentParties): string =>
  mentions(event, baseAddress(payTo)) ? `the recipient ${payTo}` : 'an account of the payment'
