import { describe, expect, test } from 'vitest'
import {
  type LandingWindow,
  type LedgerOutcome,
  ledgerOutcome,
} from '../../../../../src/payments/engine/follow/ledger-outcome.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { TransactionStatus } from '../../../../../src/stellar/rpc/rpc.ts'

const range = { latestLedger: 120, latestCloseTime: 1_000, oldestLedger: 1, oldestCloseTime: 0 }
const landing: LandingWindow = { maxTime: 1_050, recordedAtLedger: 110 }
const applied = { ledger: 112, createdAt: 990, feeCharged: asStroops(321n), events: [] }

describe('ledgerOutcome', () => {
  test.each<{ when: string; status: TransactionStatus; gives: LedgerOutcome['kind'] }>([
    {
      when: 'succeeded when it was applied',
      status: { ...range, ...applied, status: 'SUCCESS' },
      gives: 'succeeded',
    },
    {
      when: 'failed when it was applied and failed',
      status: { ...range, ...applied, status: 'FAILED' },
      gives: 'failed',
    },
    {
      when: 'waiting while a ledger could still include it',
      status: { ...range, status: 'NOT_FOUND' },
      gives: 'waiting',
    },
    {
      when: 'waiting in the very second of its max time',
      status: { ...range, latestCloseTime: 1_050, status: 'NOT_FOUND' },
      gives: 'waiting',
    },
    {
      when: 'expired one second after its max time',
      status: { ...range, latestCloseTime: 1_051, status: 'NOT_FOUND' },
      gives: 'expired',
    },
    {
      when: 'expired even when the first ledger after the record is the oldest retained',
      status: { ...range, latestCloseTime: 1_051, oldestLedger: 111, status: 'NOT_FOUND' },
      gives: 'expired',
    },
    {
      when: 'undecidable when a ledger it could be in is no longer retained',
      status: { ...range, latestCloseTime: 1_051, oldestLedger: 112, status: 'NOT_FOUND' },
      gives: 'undecidable',
    },
    {
      when: 'undecidable when the network is below the ledger of the record',
      status: { ...range, latestLedger: 109, latestCloseTime: 1_051, status: 'NOT_FOUND' },
      gives: 'undecidable',
    },
    {
      when: 'undecidable when all retained ledgers closed after its max time',
      status: { ...range, latestCloseTime: 2_000, oldestCloseTime: 1_051, status: 'NOT_FOUND' },
      gives: 'undecidable',
    },
    {
      when: 'undecidable when they begin with the ledger after the record, in another history',
      status: {
        ...range,
        latestCloseTime: 2_000,
        oldestLedger: 111,
        oldestCloseTime: 1_051,
        status: 'NOT_FOUND',
      },
      gives: 'undecidable',
    },
  ])('is $when', ({ status, gives }) => {
    expect(ledgerOutcome(status, landing).kind).toBe(gives)
  })

  // Its history is older than the transaction, and its ledgers are a second apart.
  const closed = { ...range, status: 'NOT_FOUND' } as const
  test.each<{ when: string; status: TransactionStatus; gives: LedgerOutcome['kind'] }>([
    { when: 'waiting while a ledger can include it', status: closed, gives: 'waiting' },
    {
      when: 'expired once the last ledger that could include it has closed',
      status: { ...closed, latestLedger: 121 },
      gives: 'expired',
    },
    {
      when: 'waiting for its max time when a ledger it could be in is no longer retained',
      status: { ...closed, latestLedger: 121, oldestLedger: 112, oldestCloseTime: 980 },
      gives: 'waiting',
    },
    {
      when: 'waiting for its max time when the history may have begun after it was signed',
      status: { ...closed, latestLedger: 121, oldestCloseTime: 991 },
      gives: 'waiting',
    },
    {
      when: 'undecidable past its max time when that history has begun after it',
      status: { ...closed, latestLedger: 121, latestCloseTime: 2_000, oldestCloseTime: 1_051 },
      gives: 'undecidable',
    },
  ])('with a max ledger of 122 is $when', ({ status, gives }) => {
    expect(ledgerOutcome(status, { ...landing, maxLedger: 122 }).kind).toBe(gives)
  })

  test('has the fee charged and the reason of the failure', () => {
    const status = {
      ...range,
      ...applied,
      status: 'FAILED',
      resultCode: 'txFailed',
      operationCode: 'invokeHostFunctionTrapped',
    } as const
    expect(ledgerOutcome(status, landing)).toEqual({
      kind: 'failed',
      ledger: 112,
      feeCharged: 321n,
      because: 'txFailed, invokeHostFunctionTrapped',
      applied: status,
    })
  })
})
