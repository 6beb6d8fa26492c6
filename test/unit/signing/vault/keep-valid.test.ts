import { describe, expect, test } from 'vitest'
import { waitBeforeRenewal } from '../../../../src/signing/vault/keep-valid.ts'

describe('the wait before a token is renewed', () => {
  test.each([
    { leftMs: 3_600_000, waitMs: 2_400_000, because: 'a third is left for further tries' },
    { leftMs: 900, waitMs: 1_000, because: 'the last tries are apart' },
    {
      leftMs: 90 * 86_400_000,
      waitMs: 86_400_000,
      because: 'no timer waits for longer than 24 days',
    },
  ])('with $leftMs ms left is $waitMs ms: $because', ({ leftMs, waitMs }) => {
    expect(waitBeforeRenewal(leftMs)).toBe(waitMs)
  })
})
