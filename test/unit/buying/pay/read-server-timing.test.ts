import { describe, expect, test } from 'vitest'
import { readServerTiming } from '../../../../src/buying/pay/read-server-timing.ts'

describe('readServerTiming', () => {
  test.each<{ when: string; header: string | null; reads: Record<string, number> }>([
    {
      when: 'reads each duration',
      header: 'verify;dur=27, settle;dur=905.5',
      reads: { verify: 27, settle: 905.5 },
    },
    { when: 'reads nothing where there is no header', header: null, reads: {} },
    {
      when: 'skips what it does not know',
      header: 'cache;desc="hit", settle;dur=1',
      reads: { settle: 1 },
    },
  ])('$when', ({ header, reads }) => {
    expect(Object.fromEntries(readServerTiming(header))).toEqual(reads)
  })
})
