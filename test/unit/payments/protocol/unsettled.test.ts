import { expect, test } from 'vitest'
import { maySettleLater, provesUnsent } from '../../../../src/payments/protocol/unsettled.ts'

test.each([
  'invalid_exact_stellar_payload_wrong_amount',
  'insufficient_funds',
  'unsupported_scheme',
  'network_mismatch',
  'settle_upto_stellar_authorization_expired',
  'settle_exact_stellar_sponsor_unavailable',
  'settle_exact_stellar_payer_paused',
  'settle_exact_stellar_channel_unavailable',
  'settle_exact_stellar_fee_bump_signing_failed',
])('%s proves that nothing was sent', (reason) => {
  expect(provesUnsent(reason)).toBe(true)
})

test.each(['invalid_exact_evm_payload_signature', 'settle_exact_stellar_signer_selection_failed'])(
  'so does %s, of another facilitator',
  (reason) => {
    expect(provesUnsent(reason)).toBe(true)
  },
)

test.each([
  // A ledger has the authorization: the payment was made, perhaps by an earlier request of the seller.
  'invalid_exact_stellar_payload_nonce_already_used',
  'invalid_upto_stellar_payload_authorization_used',
  'settle_exact_stellar_idempotency_conflict',
  'settle_exact_stellar_settlement_in_progress',
  'settle_exact_stellar_transaction_submission_failed',
  'settlement_pending',
  'unexpected_settle_error',
  'anything else',
  'toString',
])('%s proves nothing', (reason) => {
  expect(provesUnsent(reason)).toBe(false)
})

test.each([
  'settlement_pending',
  'settle_exact_stellar_settlement_in_progress',
  'settle_exact_stellar_channel_unavailable',
  'unexpected_settle_error',
])('%s may still settle', (reason) => {
  expect(maySettleLater(reason)).toBe(true)
})

test.each([
  'insufficient_funds',
  'settle_exact_stellar_transaction_expired',
  'invalid_exact_stellar_payload_nonce_already_used',
  'anything else',
  'toString',
])('%s settles no more', (reason) => {
  expect(maySettleLater(reason)).toBe(false)
})
