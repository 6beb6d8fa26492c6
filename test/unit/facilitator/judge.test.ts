import { describe, expect, test } from 'vitest'
import { asStroops } from '../../../src/core/stroops.ts'
import { judge, type Submission, type Verdict } from '../../../src/facilitator/judge.ts'
import type { TransactionStatus } from '../../../src/stellar/rpc.ts'

const range = { latestLedger: 120, latestCloseTime: 1_000, oldestLedger: 1, oldestCloseTime: 0 }
const submission: Submission = { maxTime: 1_050, recordedAtLedger: 110 }
const applied = { ledger: 112, createdAt: 990, feeCharged: asStroops(321n), events: [] }

describe('judge', () => {
  test.each<{ when: string; status: TransactionStatus; gives: Verdict['kind'] }>([
    {
      when: 'succeeds once it is applied',
      status: { ...range, ...applied, status: 'SUCCESS' },
      gives: 'succeeded',
    },
    {
      when: 'fails when the ledger took it and it failed',
      status: { ...range, ...applied, status: 'FAILED' },
      gives: 'failed',
    },
    {
      when: 'waits while the network could still take it',
      status: { ...range, status: 'NOT_FOUND' },
      gives: 'waiting',
    },
    {
      when: 'waits in the very second of its max time',
      status: { ...range, latestCloseTime: 1_050, status: 'NOT_FOUND' },
      gives: 'waiting',
    },
    {
      when: 'expires one second after its max time',
      status: { ...range, latestCloseTime: 1_051, status: 'NOT_FOUND' },
      gives: 'expired',
    },
    {
      when: 'still expires when the next ledger after the record is the oldest kept',
      status: { ...range, latestCloseTime: 1_051, oldestLedger: 111, status: 'NOT_FOUND' },
      gives: 'expired',
    },
    {
      when: 'cannot tell when a ledger it could be in is gone',
      status: { ...range, latestCloseTime: 1_051, oldestLedger: 112, status: 'NOT_FOUND' },
      gives: 'undecidable',
    },
    {
      when: 'cannot tell when the network is below the ledger of the record',
      status: { ...range, latestLedger: 109, latestCloseTime: 1_051, status: 'NOT_FOUND' },
      gives: 'undecidable',
    },
    {
      when: 'cannot tell when all that is kept began after its max time',
      status: { ...range, latestCloseTime: 2_000, oldestCloseTime: 1_051, status: 'NOT_FOUND' },
      gives: 'undecidable',
    },
  ])('$when', ({ status, gives }) => {
    expect(judge(status, submission).kind).toBe(gives)
  })

  test('keeps what the ledger charged and why it failed', () => {
    const status = {
      ...range,
      ...applied,
      status: 'FAILED',
      resultCode: 'txFailed',
      operationCode: 'invokeHostFunctionTrapped',
    } as const
    expect(judge(status, submission)).toEqual({
      kind: 'failed',
      ledger: 112,
      feeCharged: 321n,
      because: 'txFailed, invokeHostFunctionTrapped',
    })
  })
})
