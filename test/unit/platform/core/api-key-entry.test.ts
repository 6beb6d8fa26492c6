import { describe, expect, test } from 'vitest'
import {
  type ApiKeyEntry,
  apiKeyEntryText,
  apiKeySubject,
  parseApiKeys,
  stateOfApiKey,
} from '../../../../src/platform/core/api-key-entry.ts'

const A = 'a'.repeat(64)
const B = 'b1'.repeat(32)
const from = Date.UTC(2026, 11, 1)
const until = Date.UTC(2027, 0, 1, 12, 30)

test.each<{ what: string; text: string; entries: readonly ApiKeyEntry[] }>([
  { what: 'nothing', text: ' \n', entries: [] },
  { what: 'a digest', text: A, entries: [{ digest: A }] },
  {
    what: 'digests with commas, spaces and lines between them',
    text: `${A.toUpperCase()}, ${B}\n`,
    entries: [{ digest: A }, { digest: B }],
  },
  { what: 'a digest twice', text: `${A} ${A.toUpperCase()}`, entries: [{ digest: A }] },
  { what: 'a name', text: `${A};name=shop-1_b.c`, entries: [{ digest: A, name: 'shop-1_b.c' }] },
  {
    what: 'times, of any zone and precision',
    text: `${A};from=2026-12-01T00:00Z;until=2027-01-01T13:30:00.000+01:00`,
    entries: [{ digest: A, from, until }],
  },
  {
    what: 'everything in another order, beside a digest alone',
    text: `${A};until=2027-01-01T12:30:00Z;from=2026-12-01T00:00:00Z;name=shop\n${B}`,
    entries: [{ digest: A, name: 'shop', from, until }, { digest: B }],
  },
])('parseApiKeys reads $what', ({ text, entries }) => {
  expect(parseApiKeys(text)).toEqual({ ok: true, entries })
  expect(parseApiKeys(entries.map(apiKeyEntryText).join('\n'))).toEqual({ ok: true, entries })
})

const noTime = 'not a time such as 2026-12-01T00:00:00Z'
test.each<{ text: string; problem: string }>([
  { text: ',', problem: 'there is no digest' },
  { text: `${A} svc_a-key`, problem: 'entry 2 is not a SHA-256 digest' },
  { text: `${A}f`, problem: 'entry 1 is not a SHA-256 digest' },
  { text: `# shop\n${A}`, problem: 'entry 1 is not a SHA-256 digest' },
  { text: `${A};`, problem: 'entry 1 may have only name=, from= and until= after its digest' },
  { text: `${A};shop`, problem: 'entry 1 may have only name=, from= and until= after its digest' },
  {
    text: `${A};ends=1`,
    problem: 'entry 1 may have only name=, from= and until= after its digest',
  },
  { text: `${A};name=a;name=b`, problem: 'entry 1 has name twice' },
  {
    text: `${A};name=`,
    problem:
      'entry 1 has an invalid name: not 1 to 64 letters, digits, dots, hyphens and underscores',
  },
  {
    text: `${A};name=${'n'.repeat(65)}`,
    problem:
      'entry 1 has an invalid name: not 1 to 64 letters, digits, dots, hyphens and underscores',
  },
  { text: `${A};until=`, problem: `entry 1 has an invalid until: ${noTime}` },
  { text: `${A};until=2026-12-01`, problem: `entry 1 has an invalid until: ${noTime}` },
  { text: `${A};until=2026-12-01T00:00:00`, problem: `entry 1 has an invalid until: ${noTime}` },
  { text: `${A};until=2026-02-29T00:00:00Z`, problem: `entry 1 has an invalid until: ${noTime}` },
  { text: `${A};until=2026-13-01T00:00:00Z`, problem: `entry 1 has an invalid until: ${noTime}` },
  { text: `${A};from=1796083200000`, problem: `entry 1 has an invalid from: ${noTime}` },
  {
    text: `${A};from=2026-12-01T00:00:00Z;until=2026-12-01T01:00:00+01:00`,
    problem: 'entry 1 has an until that is not after its from',
  },
  { text: `${A}\n${A};name=x`, problem: 'entry 2 has the digest of another, and differs from it' },
])('parseApiKeys refuses $text', ({ text, problem }) => {
  expect(parseApiKeys(text)).toEqual({ ok: false, problem })
})

test('a problem repeats nothing of the text, which may be a key', () => {
  const parsed = parseApiKeys(`${A};svc_secret=svc_secret svc_secret`)
  expect(JSON.stringify(parsed)).not.toContain('secret')
})

describe('a key is', () => {
  test.each<{ state: string; at: number; entry: Omit<ApiKeyEntry, 'digest'> }>([
    { state: 'valid', at: 0, entry: {} },
    { state: 'notYet', at: from - 1, entry: { from, until } },
    { state: 'valid', at: from, entry: { from, until } },
    { state: 'valid', at: until - 1, entry: { from, until } },
    { state: 'ended', at: until, entry: { from, until } },
    { state: 'valid', at: until, entry: { from } },
    { state: 'ended', at: until + 1, entry: { until } },
  ])('$state at $at with $entry', ({ state, at, entry }) => {
    expect(stateOfApiKey({ digest: A, ...entry }, at)).toBe(state)
  })
})

test('the subject of a key is the one of /usage', () => {
  expect(apiKeySubject(B)).toBe('key:b1b1b1b1b1b1b1b1')
})
