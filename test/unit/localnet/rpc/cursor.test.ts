import { describe, expect, it } from 'vitest'
import {
  compareCursors,
  endOfLedger,
  formatCursor,
  parseCursor,
} from '../../../../src/localnet/rpc/cursor.ts'

describe('event cursors', () => {
  const cursor = { ledger: 1234, transaction: 2, operation: 1, event: 3 }

  it('are the 19-digit TOID and the 10-digit number of the event', () => {
    expect(formatCursor(cursor)).toBe('0000005299989651457-0000000003')
    expect(1234n * 4294967296n + 2n * 4096n + 1n).toBe(5299989651457n)
  })

  it('are read as written', () => {
    expect(parseCursor(formatCursor(cursor))).toEqual(cursor)
    expect(parseCursor(formatCursor(endOfLedger(9)))).toEqual(endOfLedger(9))
  })

  it('sort by ledger, transaction, operation, event', () => {
    const sorted = [
      { ...cursor, ledger: 1 },
      { ...cursor, transaction: 1 },
      { ...cursor, operation: 0 },
      { ...cursor, event: 2 },
      cursor,
    ]
    expect(sorted.toReversed().toSorted(compareCursors)).toEqual(sorted)
    expect(compareCursors(cursor, { ...cursor })).toBe(0)
  })

  it.each(['', '1', 'x-1', '1-x', '1-99999999999', '-1-1'])('refuse %j', (text) => {
    expect(() => parseCursor(text)).toThrow('invalid parameters')
  })
})
