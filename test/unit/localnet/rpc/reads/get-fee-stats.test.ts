import { describe, expect, it } from 'vitest'
import { distribution } from '../../../../../src/localnet/rpc/reads/get-fee-stats.ts'

const ledger = (...soroban: bigint[]) => ({ classic: [], soroban })

describe('distribution', () => {
  it('is all zero without fees, and names the number of ledgers', () => {
    const empty = distribution([ledger(), ledger()], ({ soroban }) => soroban)
    expect(empty).toMatchObject({ max: '0', min: '0', mode: '0', p10: '0', p99: '0' })
    expect(empty).toMatchObject({ transactionCount: '0', ledgerCount: 2 })
  })

  it('takes percentiles by nearest rank across ledgers', () => {
    const fees = [ledger(100n, 100n, 100n, 200n, 1000n), ledger(300n, 300n, 400n, 500n, 600n)]
    expect(distribution(fees, ({ soroban }) => soroban)).toEqual({
      max: '1000',
      min: '100',
      mode: '100',
      p10: '100',
      p20: '100',
      p30: '100',
      p40: '200',
      p50: '300',
      p60: '300',
      p70: '400',
      p80: '500',
      p90: '600',
      p95: '1000',
      p99: '1000',
      transactionCount: '10',
      ledgerCount: 2,
    })
  })
})
