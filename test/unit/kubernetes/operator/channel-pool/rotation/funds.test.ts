import { describe, expect, test } from 'vitest'
import {
  withFunds,
  withLosses,
} from '../../../../../../src/kubernetes/operator/channel-pool/rotation/funds.ts'
import { asStroops } from '../../../../../../src/platform/core/amounts/stroops.ts'
import { rotation } from './rotations.ts'

const hash = 'a'.repeat(64)

const account = {
  ledger: 100,
  at: '2026-01-01T00:00:00.000Z',
  balanceXlm: '0',
  receivedXlm: '7',
  sweptXlm: '60',
  takenXlm: '40.5',
  feesXlm: '0.00003',
}

describe('what a pass has sent', () => {
  test('adds to what was sent before, with the hash of the last transaction', () => {
    const swept = { isDone: true, amount: asStroops(5_000_001n), hash }
    const once = withFunds(rotation(), swept)
    expect(once).toMatchObject({ sweptXlm: '0.5000001', transaction: hash })
    expect(withFunds(once, swept).sweptXlm).toBe('1.0000002')
  })

  test('changes nothing when it was nothing', () => {
    const before = rotation({ sweptXlm: '3', transaction: hash })
    expect(withFunds(before, { isDone: true })).toBe(before)
  })
})

describe('what did not reach the new sponsor', () => {
  const emergency = rotation({ mode: 'Emergency', phase: 'Sweeping', account })

  test('is what others took and the fees, whatever arrived later', () => {
    expect(withLosses(emergency, true).lostXlm).toBe('40.50003')
  })

  test('is what is missing of the first balance while no endpoint tells the movements', () => {
    const { address, source } = emergency.from
    const from = { source, ...(address && { address }), balanceXlm: '100' }
    const known = { ...emergency, from, sweptXlm: '60' }
    expect(withLosses(known, false).lostXlm).toBe('40')
    expect(withLosses({ ...known, sweptXlm: '120' }, false).lostXlm).toBe('0')
    expect(withLosses(emergency, false).lostXlm).toBeUndefined()
  })

  test('is said of an emergency alone', () => {
    expect(withLosses({ ...emergency, mode: 'Planned' }, true).lostXlm).toBeUndefined()
  })
})
