import { describe, expect, it } from 'vitest'
import { notSettled, settled } from '../../../../src/payments/engine/answers/settle-answer.ts'
import { notVerified, verified } from '../../../../src/payments/engine/answers/verify-answer.ts'
import type { SettleResponse, VerifyResponse } from '../../../../src/payments/protocol/protocol.ts'
import { type ReasonCode, reasons } from '../../../../src/payments/protocol/reasons.ts'
import type { SettlementKey } from '../../../../src/payments/store/settlements/settlement.ts'
import {
  countOfSettle,
  countOfVerify,
  type SettleCount,
} from '../../../../src/payments/usage/outcome.ts'

const paid = { scheme: 'exact', amount: 1n }
const network = 'stellar:testnet'
const payer = 'GPAYER'
const transaction = 'ab'.repeat(32)
const key: SettlementKey = { network, payer, nonce: '1' }
const invalid = (code: ReasonCode): VerifyResponse =>
  notVerified({ code, message: reasons[code].message })
const refused = (code: ReasonCode, hash?: string): SettleResponse =>
  notSettled({ network, payer }, { code, ...(hash !== undefined && { transaction: hash }) })

describe('a verification is counted', () => {
  it.each([
    { as: 'valid', when: 'it is', response: verified(payer) },
    {
      as: 'invalid',
      when: 'it is refused',
      response: invalid('insufficient_funds'),
    },
    {
      as: 'invalid',
      when: 'the version is another',
      response: invalid('invalid_x402_version'),
    },
    {
      as: undefined,
      when: 'the network is not served',
      response: invalid('invalid_network'),
    },
    {
      as: undefined,
      when: 'the scheme is not served',
      response: invalid('unsupported_scheme'),
    },
  ])('as $as when $when', ({ as, response }) => {
    expect(countOfVerify(response)).toBe(as)
  })
})

describe('a settle request that started a settlement is counted', () => {
  it.each<{ when: string; response: SettleResponse; as: SettleCount }>([
    {
      when: 'with its end when it succeeds',
      response: settled({ network, payer, paid }, transaction),
      as: { kind: 'at the end' },
    },
    {
      when: 'with its end when it fails on the ledger',
      response: refused('settle_exact_stellar_transaction_failed', transaction),
      as: { kind: 'at the end' },
    },
    {
      when: 'as pending while the outcome is unknown',
      response: refused('settlement_pending', transaction),
      as: { kind: 'pending', key },
    },
  ])('$when', ({ response, as }) => {
    expect(countOfSettle({ response, started: key })).toEqual(as)
  })
})

describe('a settle request that started no settlement is counted', () => {
  it.each<{ when: string; response: SettleResponse; as: SettleCount }>([
    {
      when: 'as a repeat when the payment was made before',
      response: settled({ network, payer, paid }, transaction),
      as: { kind: 'now', outcome: 'repeat' },
    },
    {
      when: 'as a repeat when the payment failed before',
      response: refused('settle_exact_stellar_transaction_expired', transaction),
      as: { kind: 'now', outcome: 'repeat' },
    },
    {
      when: 'as a repeat while the payment is being settled',
      response: refused('settlement_pending', transaction),
      as: { kind: 'now', outcome: 'repeat' },
    },
    {
      when: 'as a failure when the payment is refused',
      response: refused('insufficient_funds'),
      as: { kind: 'now', outcome: 'failure' },
    },
    {
      when: 'as a failure when another payment has the authorization',
      response: refused('settle_exact_stellar_idempotency_conflict'),
      as: { kind: 'now', outcome: 'failure' },
    },
    {
      when: 'as a failure while another process holds the claim',
      response: refused('settle_exact_stellar_settlement_in_progress'),
      as: { kind: 'now', outcome: 'failure' },
    },
    {
      when: 'nowhere when the network is not served',
      response: refused('invalid_network'),
      as: { kind: 'never' },
    },
    {
      when: 'nowhere when the scheme is not served',
      response: refused('unsupported_scheme'),
      as: { kind: 'never' },
    },
  ])('$when', ({ response, as }) => {
    expect(countOfSettle({ response })).toEqual(as)
  })
})
