import { describe, expect, it } from 'vitest'
import { protocolChecks } from '../../../../src/payments/checks/protocol.ts'
import { isReasonCode, isRetryable, reasons } from '../../../../src/payments/protocol/reasons.ts'
import { callChecks, exact } from '../../../../src/payments/schemes/exact/exact.ts'
import { policyChecks } from '../../../../src/payments/schemes/exact/policy.ts'
import { structureChecks } from '../../../../src/payments/schemes/exact/structure.ts'

const checks = [
  ...protocolChecks,
  ...policyChecks,
  ...structureChecks,
  ...callChecks,
  ...exact.rules.settle.expiryChecks,
  ...exact.rules.settle.costChecks,
  ...exact.rules.settle.eventChecks,
]

describe('the reasons', () => {
  it('each have a sentence', () => {
    for (const [code, { message }] of Object.entries(reasons)) {
      expect(message, code).toMatch(/^\S.{10,}$/)
    }
  })

  it('are retryable exactly where the state may change without the caller', () => {
    const retryable = Object.keys(reasons).filter((code) => isReasonCode(code) && isRetryable(code))
    expect(retryable.toSorted()).toEqual(
      [
        'insufficient_funds',
        'invalid_exact_stellar_payload_account_missing',
        'invalid_exact_stellar_payload_archived_state',
        'invalid_exact_stellar_payload_fee_exceeds_maximum',
        'invalid_exact_stellar_payload_payer_trustline_missing',
        'invalid_exact_stellar_payload_recipient_trustline_missing',
        'invalid_exact_stellar_payload_trustline_not_authorized',
        'invalid_upto_stellar_ledger_entry_restore_required',
        'invalid_upto_stellar_payload_fee_exceeds_maximum',
        'settle_exact_stellar_channel_unavailable',
        'settle_exact_stellar_fee_bump_signing_failed',
        'settle_exact_stellar_payer_paused',
        'settle_exact_stellar_settlement_in_progress',
        'settle_exact_stellar_sponsor_unavailable',
        'settlement_pending',
        'unexpected_settle_error',
        'unexpected_verify_error',
      ].toSorted(),
    )
  })

  it('know no code that is not in the table', () => {
    expect(isReasonCode('toString')).toBe(false)
  })
})

describe('the checks', () => {
  it('have unique names', () => {
    const names = checks.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
