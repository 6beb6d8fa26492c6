import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { keys } from '../../../src/cli/keys.ts'
import { ApiKeys } from '../../../src/http/api-keys.ts'

describe('svc keys new', () => {
  afterEach(() => vi.restoreAllMocks())

  async function output(...args: string[]): Promise<string> {
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    expect(await keys(args)).toBe(0)
    return written.mock.calls.map(([text]) => String(text)).join('')
  }

  test('prints a key and its digest as one line of JSON', async () => {
    const text = await output('new')
    expect(text).toMatch(/^\{.+\}\n$/)
    const { key, sha256 } = JSON.parse(text)
    expect(key).toMatch(/^svc_[\w-]{43}$/)
    expect(sha256).toBe(createHash('sha256').update(key).digest('hex'))
    expect(new ApiKeys([sha256]).identify({ authorization: `Bearer ${key}` })).toBe(sha256)
  })

  test('makes another key each time', async () => {
    expect(await output('new')).not.toBe(await output('new'))
  })

  test.each([
    { args: [], problem: 'expected new' },
    { args: ['old'], problem: "expected new, not 'old'" },
    { args: ['new', 'new'], problem: "Unexpected argument 'new'" },
  ])('exits 64 for $args', async ({ args, problem }) => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(await keys(args)).toBe(64)
    expect(String(written.mock.calls[0])).toContain(`svc keys: ${problem}\n`)
  })
})
