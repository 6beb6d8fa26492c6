import type { ReasonCode } from './reasons.ts'

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
