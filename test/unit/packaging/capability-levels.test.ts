import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)
const page = readFileSync(new URL('docs/capability-levels.md', root), 'utf8')

const claims = page
  .split('\n')
  .filter((line) => /^\| (?!Claim|-)/.test(line))
  .map((line): [string, string] => {
    const [, claim = '', evidence = ''] = line.split(/ ?\| /)
    return [claim, evidence.replace(/ \|$/, '')]
  })

describe('the capability levels', () => {
  test('are five, each with claims', () => {
    expect(page.match(/^## Level \d/gm)).toHaveLength(5)
    expect(claims.length).toBeGreaterThan(20)
  })

  test.each(claims)('claim "%s" because of a test that there is', (_, evidence) => {
    const [, path = '', name = ''] = /^`(\S+)`: (.+)$/.exec(evidence) ?? []
    expect(name).not.toBe('')
    expect(readFileSync(new URL(path, root), 'utf8')).toContain(name)
  })
})
