/** The facts of a code: every other list of codes is read from these members. */
interface Reason {
  /** Whether the same request may succeed later without a new signature. */
  readonly retryable: boolean
  /** The sentence where the check has no more specific one. */
  readonly message: string
  /** Where alone it is answered: by a settlement, or with the status of an HTTP error. @default by verifications too */
  readonly answeredBy?: 'settle' | 'HTTP error'
  /** A transaction of the payment may have been sent, now or before: a buyer who signs another one may pay twice. */
  readonly mayBeSent?: true
  /** Neither payer nor recipient can cause it, and nothing was sent: `svc_settlement_failures_total` counts it, and an alert fires. */
  readonly isServiceFault?: true
  /** Of its answer. @default 200 */
  readonly status?: 409
}

/**
 * Every reason for which a payment is refused or a settlement is not final. The code is the
 * `invalidReason` or `errorReason` of the answer.
 */
export const reasons = {
  // Protocol.
  invalid_x402_version: { retryable: false, message: 'x402Version must be 2' },
  unsupported_scheme: { retryable: false, message: 'the service does not serve the scheme' },
  invalid_network: { retryable: false, message: 'the service does not serve the network' },
  network_mismatch: {
    retryable: false,
    message: 'paymentPayload.accepted and paymentRequirements name different networks',
  },
  invalid_payload: {
    retryable: false,
    message: 'the payload is not valid for the exact scheme on Stellar',
  },
  // Policy.
  invalid_exact_stellar_requirements_asset_not_accepted: {
    retryable: false,
    message: 'the service does not accept the asset',
  },
  invalid_exact_stellar_requirements_invalid_pay_to: {
    retryable: false,
    message: "payTo is not an address, or is one of the facilitator's accounts",
  },
  invalid_exact_stellar_requirements_invalid_amount: {
    retryable: false,
    message: 'the amount is not a positive whole number of base units',
  },
  invalid_exact_stellar_requirements_amount_out_of_range: {
    retryable: false,
    message: "the amount is outside the asset's limits",
  },
  invalid_exact_stellar_requirements_timeout_out_of_range: {
    retryable: false,
    message: 'maxTimeoutSeconds is outside the allowed range',
  },
  invalid_exact_stellar_requirements_fees_not_sponsored: {
    retryable: false,
    message: 'extra.areFeesSponsored must be true',
  },
  // Structure.
  invalid_exact_stellar_payload_accepted_mismatch: {
    retryable: false,
    message: 'paymentPayload.accepted differs from paymentRequirements',
  },
  invalid_exact_stellar_payload_too_large: {
    retryable: false,
    message: 'the transaction is too large',
  },
  invalid_exact_stellar_payload_malformed: {
    retryable: false,
    message: 'the transaction cannot be read',
  },
  invalid_exact_stellar_payload_wrong_operation: {
    retryable: false,
    message: 'the transaction must consist of one contract invocation',
  },
  invalid_exact_stellar_payload_wrong_function_name: {
    retryable: false,
    message: 'the call must be transfer with three arguments',
  },
  // Accounts and amount.
  invalid_exact_stellar_payload_unsafe_tx_or_op_source: {
    retryable: false,
    message: "a source account of the transaction is one of the facilitator's accounts",
  },
  invalid_exact_stellar_payload_facilitator_is_payer: {
    retryable: false,
    message: "the payer is one of the facilitator's accounts",
  },
  invalid_exact_stellar_payload_wrong_asset: {
    retryable: false,
    message: 'the call is to a contract other than the required asset',
  },
  invalid_exact_stellar_payload_wrong_recipient: {
    retryable: false,
    message: 'the call pays an address other than payTo',
  },
  invalid_exact_stellar_payload_self_payment: {
    retryable: false,
    message: 'payer and recipient are the same account',
  },
  invalid_exact_stellar_payload_wrong_amount: {
    retryable: false,
    message: 'the call transfers an amount other than the required one',
  },
  invalid_exact_stellar_payload_unsupported_preconditions: {
    retryable: false,
    message: 'the transaction sets preconditions or a memo, which the settlement would lose',
  },
  // Authorization.
  invalid_exact_stellar_payload_unsupported_credential_type: {
    retryable: false,
    message: 'authorization entries must carry address credentials',
  },
  invalid_exact_stellar_payload_no_auth_entries: {
    retryable: false,
    message: 'there is no authorization entry',
  },
  invalid_exact_stellar_payload_facilitator_in_auth: {
    retryable: false,
    message: "an authorization entry is for one of the facilitator's accounts",
  },
  invalid_exact_stellar_payload_has_subinvocations: {
    retryable: false,
    message: 'the authorization covers calls besides the transfer',
  },
  invalid_exact_stellar_payload_missing_payer_signature: {
    retryable: false,
    message: 'the payer has not signed',
  },
  invalid_exact_stellar_payload_unexpected_pending_signatures: {
    retryable: false,
    message: "there are authorization entries besides the payer's",
  },
  invalid_exact_stellar_payload_auth_invocation_mismatch: {
    retryable: false,
    message: 'the payer authorized a different call',
  },
  // Expiry.
  invalid_exact_stellar_signature_expired: {
    retryable: false,
    message: 'the authorization has expired',
  },
  invalid_exact_stellar_signature_expiration_too_soon: {
    retryable: false,
    message: 'the authorization expires too soon',
  },
  invalid_exact_stellar_signature_expiration_too_far: {
    retryable: false,
    message: 'the authorization expires later than maxTimeoutSeconds allows',
  },
  // Simulation.
  invalid_exact_stellar_payload_simulation_failed: {
    retryable: false,
    message: 'the call fails in simulation',
  },
  invalid_exact_stellar_payload_fee_exceeds_maximum: {
    retryable: true,
    message: 'the settlement would cost more than the configured maximum',
  },
  invalid_exact_stellar_payload_event_not_transfer: {
    retryable: false,
    message: 'the call emits an event that is not a transfer',
  },
  invalid_exact_stellar_payload_event_missing_contract_id: {
    retryable: false,
    message: 'the call emits an event that names no contract',
  },
  invalid_exact_stellar_payload_event_wrong_asset: {
    retryable: false,
    message: 'the call transfers an asset other than the required one',
  },
  invalid_exact_stellar_payload_no_transfer_events: {
    retryable: false,
    message: 'the call emits no transfer event',
  },
  invalid_exact_stellar_payload_multiple_transfers: {
    retryable: false,
    message: 'the call makes more than one transfer',
  },
  invalid_exact_stellar_payload_event_wrong_from: {
    retryable: false,
    message: 'the transfer is not from the payer',
  },
  invalid_exact_stellar_payload_event_wrong_to: {
    retryable: false,
    message: 'the transfer is not to payTo',
  },
  invalid_exact_stellar_payload_event_wrong_amount: {
    retryable: false,
    message: 'the transfer is for a different amount',
  },
  // Diagnosed cause of a failed simulation.
  invalid_exact_stellar_payload_nonce_already_used: {
    retryable: false,
    mayBeSent: true,
    message: 'the authorization has been used already',
  },
  invalid_exact_stellar_payload_invalid_signature: {
    retryable: false,
    message: "the payer's signature is invalid",
  },
  invalid_exact_stellar_payload_unauthorized_invocation: {
    retryable: false,
    message: 'the call needs an authorization that the transaction does not contain',
  },
  invalid_exact_stellar_payload_smart_account_rejected: {
    retryable: false,
    message: "the payer's smart account refused the call",
  },
  invalid_exact_stellar_payload_payer_trustline_missing: {
    retryable: true,
    message: 'the payer holds no trustline to the asset',
  },
  invalid_exact_stellar_payload_recipient_trustline_missing: {
    retryable: true,
    message: 'the recipient holds no trustline to the asset',
  },
  invalid_exact_stellar_payload_trustline_not_authorized: {
    retryable: true,
    message: 'the issuer has not authorized the balance of the payer or the recipient',
  },
  invalid_exact_stellar_payload_account_missing: {
    retryable: true,
    message: 'an account of the payment does not exist',
  },
  invalid_exact_stellar_payload_archived_state: {
    retryable: true,
    message: 'a ledger entry that the payment needs is archived and must be restored first',
  },
  insufficient_funds: { retryable: true, message: 'the payer holds less than the amount' },
  // The scheme `upto`, where the codes of `exact` do not serve.
  invalid_upto_stellar_payload_malformed: {
    retryable: false,
    message: 'the payload is not a call of settle that can be read, or says something else than it',
  },
  invalid_upto_stellar_payload_wrong_contract: {
    retryable: false,
    message: 'the settlement contract is another than the configured one',
  },
  invalid_upto_stellar_payload_wrong_max_amount: {
    retryable: false,
    message: 'the payer signed another ceiling than the accepted amount',
  },
  invalid_upto_stellar_payload_settlement_exceeds_amount: {
    retryable: false,
    message: 'the amount to settle is above the ceiling that the payer signed',
  },
  invalid_upto_stellar_payload_expired: {
    retryable: false,
    message: 'the authorization has expired',
  },
  invalid_upto_stellar_payload_expiration_too_far: {
    retryable: false,
    message: 'the authorization expires later than maxTimeoutSeconds allows',
  },
  invalid_upto_stellar_payload_authorization_used: {
    retryable: false,
    mayBeSent: true,
    message: 'the authorization has been used already',
  },
  invalid_upto_stellar_payload_simulation_failed: {
    retryable: false,
    message: 'the call fails in simulation',
  },
  invalid_upto_stellar_payload_fee_exceeds_maximum: {
    retryable: true,
    message: 'the settlement would cost more than the configured maximum',
  },
  invalid_upto_stellar_ledger_entry_restore_required: {
    retryable: true,
    message: 'the settlement contract or its code is archived and must be restored first',
  },
  // The extension `payment-identifier`.
  payment_identifier_conflict: {
    retryable: false,
    mayBeSent: true,
    status: 409,
    message: 'another payment has the payment identifier',
  },
  // Settlement.
  settle_upto_stellar_authorization_expired: {
    retryable: false,
    answeredBy: 'settle',
    message: 'the authorization expired before the settlement',
  },
  settle_exact_stellar_sponsor_unavailable: {
    retryable: true,
    answeredBy: 'settle',
    isServiceFault: true,
    message: 'the sponsor cannot pay for a settlement at the moment',
  },
  settle_exact_stellar_payer_paused: {
    retryable: true,
    message:
      'payments of the payer failed on the ledger by its own fault; it is paused for a while',
  },
  settle_exact_stellar_idempotency_conflict: {
    retryable: false,
    answeredBy: 'settle',
    mayBeSent: true,
    message: 'a different settle request has already used the authorization',
  },
  settle_exact_stellar_settlement_in_progress: {
    retryable: true,
    answeredBy: 'settle',
    mayBeSent: true,
    message: 'the same payment is being settled',
  },
  settle_exact_stellar_channel_unavailable: {
    retryable: true,
    answeredBy: 'settle',
    isServiceFault: true,
    message: 'no channel account is free',
  },
  settle_exact_stellar_fee_bump_signing_failed: {
    retryable: true,
    answeredBy: 'settle',
    isServiceFault: true,
    message: 'the settlement could not be signed',
  },
  settle_exact_stellar_transaction_submission_failed: {
    retryable: false,
    mayBeSent: true,
    message: 'the network refused the transaction',
  },
  settle_exact_stellar_transaction_failed: {
    retryable: false,
    mayBeSent: true,
    message: 'the transaction failed on the ledger',
  },
  settle_exact_stellar_transaction_expired: {
    retryable: false,
    mayBeSent: true,
    message: 'the transaction was not included in time and never will be',
  },
  settlement_pending: {
    retryable: true,
    answeredBy: 'settle',
    mayBeSent: true,
    message: 'the transaction is sent but not final yet',
  },
  unexpected_settle_error: {
    retryable: true,
    answeredBy: 'settle',
    mayBeSent: true,
    isServiceFault: true,
    message: 'the settlement failed unexpectedly',
  },
  unexpected_verify_error: {
    retryable: true,
    answeredBy: 'HTTP error',
    mayBeSent: true,
    message: 'the verification failed unexpectedly',
  },
} as const satisfies Record<string, Reason>

export type ReasonCode = keyof typeof reasons

export const isReasonCode = (value: string): value is ReasonCode => Object.hasOwn(reasons, value)

export const reasonOf = (code: ReasonCode): Reason => reasons[code]

/** The codes of the rows that this holds for. */
export const reasonsWhere = (holds: (reason: Reason) => boolean): readonly ReasonCode[] =>
  Object.keys(reasons).flatMap((code) => (isReasonCode(code) && holds(reasons[code]) ? [code] : []))

/** The HTTP status of an answer with this code, which may be one that another version has stored. */
export const statusOfReason = (code: string): number =>
  (isReasonCode(code) && reasonOf(code).status) || 200

/** The code of a payment whose id belongs to another payload. */
export const identifierConflict = 'payment_identifier_conflict' satisfies ReasonCode

/** Codes of settlements in any scheme. Their names are those of the first scheme, and clients rely on them. */
export const settleCodes = {
  sponsorUnavailable: 'settle_exact_stellar_sponsor_unavailable',
  payerPaused: 'settle_exact_stellar_payer_paused',
  conflict: 'settle_exact_stellar_idempotency_conflict',
  inProgress: 'settle_exact_stellar_settlement_in_progress',
  channelUnavailable: 'settle_exact_stellar_channel_unavailable',
  signingFailed: 'settle_exact_stellar_fee_bump_signing_failed',
  submissionFailed: 'settle_exact_stellar_transaction_submission_failed',
  failed: 'settle_exact_stellar_transaction_failed',
  expired: 'settle_exact_stellar_transaction_expired',
} as const satisfies Record<string, ReasonCode>
