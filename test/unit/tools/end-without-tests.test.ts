import { describe, expect, test } from 'vitest'
import { endWithoutTests } from '../../../tools/e2e/end-without-tests.ts'

describe('a run of real nodes on a machine that cannot run them', () => {
  test.each([undefined, '', 'false'])(
    'is skipped, and says why, where it is not required (%s)',
    (required) => {
      const { text, exitCode } = endWithoutTests('make e2e', 'it needs root', required)
      expect(text).toBe('make e2e is skipped: it needs root.\n0 passed, 0 failed, 1 skipped\n')
      expect(exitCode).toBe(0)
    },
  )

  test('fails where E2E_REQUIRED is true', () => {
    const { text, exitCode } = endWithoutTests('make e2e', 'it needs root', 'true')
    expect(text).toContain('it needs root')
    expect(text).toMatch(/\n0 passed, 1 failed, 0 skipped\n$/)
    expect(exitCode).toBe(1)
  })
})
