import { describe, expect, it } from 'vitest'
import { judgeHistory } from '../../../../../src/explorer/ingest/history/judge-history.ts'

/** Ledger n of the history that was written closed at 5n seconds. */
const progress = {
  epoch: 1,
  lastLedger: 1_000,
  lastClosedAt: 5_000,
  highWater: 1_000,
  headLedger: 1_000,
}
const range = (
  latestLedger: number,
  latestCloseTime: number,
  oldest = { at: 500, ledger: 100 },
) => ({
  latestLedger,
  latestCloseTime,
  oldestLedger: oldest.ledger,
  oldestCloseTime: oldest.at,
})

describe('judgeHistory', () => {
  it.each([
    ['the next ledgers', range(1_003, 5_015), { kind: 'same' }],
    ['an endpoint that is a few ledgers behind', range(990, 4_950), { kind: 'same' }],
    ['a week without a look', range(121_960, 609_800), { kind: 'same' }],
    ['an endpoint that lags', range(850, 4_250), { kind: 'lagging', ledgers: 150 }],
    ['a lower ledger that closed later', range(7, 5_010), { kind: 'reset', ledgers: 993 }],
    [
      'a history that began after the last ledger and is higher already',
      range(1_001, 9_000, { ledger: 1, at: 5_001 }),
      { kind: 'reset', ledgers: 0 },
    ],
    ['more ledgers than seconds', range(1_300, 5_100), { kind: 'reset', ledgers: 300 }],
  ])('finds %s', (_, answer, finding) => {
    expect(judgeHistory(progress, answer)).toEqual(finding)
  })
})
