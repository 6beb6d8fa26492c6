import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { keys } from '../../../../../src/commands/admin/keys/keys.ts'
import { listOf, tablesOf } from '../../../../../src/commands/admin/keys/list.ts'
import type { LastKeyUse } from '../../../../../src/payments/store/usage/key-uses.ts'
import { parseApiKeys } from '../../../../../src/platform/core/api-key-entry.ts'
import { acceptedKeys } from '../../../../support/api-keys.ts'

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
    const { key, sha256, entry } = JSON.parse(text)
    expect(key).toMatch(/^svc_[\w-]{43}$/)
    expect(sha256).toBe(createHash('sha256').update(key).digest('hex'))
    expect(acceptedKeys(key).identify({ authorization: `Bearer ${key}` })).toBe(sha256)
    expect(entry).toBe(sha256)
  })

  test('prints the entry with the name and the times that were given', async () => {
    const text = await output(
      'new',
      ...['--name', 'shop'],
      ...['--from', '2096-12-01T00:00:00Z', '--until', '2097-01-01T01:00:00+01:00'],
    )
    const { sha256, entry } = JSON.parse(text)
    expect(entry).toBe(`${sha256};name=shop;from=2096-12-01T00:00:00Z;until=2097-01-01T00:00:00Z`)
    expect(parseApiKeys(entry)).toMatchObject({ ok: true, entries: [{ digest: sha256 }] })
  })

  test('makes another key each time', async () => {
    expect(await output('new')).not.toBe(await output('new'))
  })

  test.each([
    { args: [], problem: 'expected new or list' },
    { args: ['old'], problem: "expected new or list, not 'old'" },
    { args: ['new', '--json'], problem: 'new does not take --json' },
    { args: ['list', '--name', 'shop'], problem: 'list does not take --name' },
    {
      args: ['new', '--until', 'tomorrow'],
      problem: '--until is not a time such as 2026-12-01T00:00:00Z',
    },
    {
      args: ['new', '--name', 'a shop'],
      problem: '--name is not 1 to 64 letters, digits, dots, hyphens and underscores',
    },
    {
      args: ['new', '--until', '2020-01-01T00:00:00Z'],
      problem: '--until must be later than now',
    },
    {
      args: ['new', '--from', '2096-01-02T00:00:00Z', '--until', '2096-01-01T00:00:00Z'],
      problem: '--until must be later than --from',
    },
    { args: ['new', 'new'], problem: "Unexpected argument 'new'" },
  ])('exits 64 for $args', async ({ args, problem }) => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(await keys(args)).toBe(64)
    expect(String(written.mock.calls[0])).toContain(`svc keys: ${problem}\n`)
  })
})

describe('svc keys list', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })

  const now = Date.UTC(2026, 11, 1)
  const hex = (digit: string) => digit.repeat(64)
  const subject = (digit: string) => `key:${digit.repeat(16)}`
  const use = (digit: string, others: Partial<LastKeyUse> = {}): LastKeyUse => ({
    subject: subject(digit),
    name: null,
    lastUsedAt: null,
    lastCountedOn: null,
    ...others,
  })
  const entries = [
    { digest: hex('a'), name: 'shop', until: now },
    { digest: hex('b'), name: 'shop', until: now + 60_000 },
    { digest: hex('c'), from: now + 1_000, until: now + 60_000 },
    { digest: hex('d') },
    { digest: hex('e') },
  ]
  const uses = [
    use('f', { name: 'gone', lastUsedAt: new Date(now - 1_000), lastCountedOn: '2026-11-30' }),
    use('a', { name: 'shop', lastUsedAt: new Date(now + 5_000), lastCountedOn: '2026-11-30' }),
    use('b', { name: 'shop', lastUsedAt: new Date(now - 86_400_000), lastCountedOn: '2026-12-01' }),
    use('d', { lastCountedOn: '2026-11-29' }),
  ]

  test('shows each key of the configuration in its order, then those that are gone', () => {
    const common = { name: null, from: null, until: null, lastUsedAt: null, lastCountedOn: null }
    expect(listOf(entries, uses, now)).toEqual([
      {
        ...common,
        subject: subject('a'),
        name: 'shop',
        state: 'ended',
        until: '2026-12-01T00:00:00.000Z',
        lastUsedAt: '2026-12-01T00:00:05.000Z',
        lastCountedOn: '2026-11-30',
      },
      {
        ...common,
        subject: subject('b'),
        name: 'shop',
        state: 'valid',
        until: '2026-12-01T00:01:00.000Z',
        lastUsedAt: '2026-11-30T00:00:00.000Z',
        lastCountedOn: '2026-12-01',
      },
      {
        ...common,
        subject: subject('c'),
        state: 'notYet',
        from: '2026-12-01T00:00:01.000Z',
        until: '2026-12-01T00:01:00.000Z',
      },
      { ...common, subject: subject('d'), state: 'valid', lastCountedOn: '2026-11-29' },
      { ...common, subject: subject('e'), state: 'valid' },
      {
        ...common,
        subject: subject('f'),
        name: 'gone',
        state: 'notConfigured',
        lastUsedAt: '2026-11-30T23:59:59.000Z',
        lastCountedOn: '2026-11-30',
      },
    ])
  })

  test('says nothing of uses that the store cannot know', () => {
    const [listed] = listOf([{ digest: hex('a') }], undefined, now)
    expect(listed).toEqual({
      subject: subject('a'),
      name: null,
      state: 'valid',
      from: null,
      until: null,
    })
    expect(tablesOf(listed ? [listed] : [])).toBe(`API keys\n  ${subject('a')}  valid\n`)
  })

  test('lists the keys with STORE=memory, and says that their uses are not known', async () => {
    vi.stubEnv('STORE', 'memory')
    vi.stubEnv('API_KEY_SHA256', `${hex('a')};name=shop`)
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const written = vi
      .spyOn(process.stdout, 'write')
      .mockImplementation((...given: readonly unknown[]) => {
        for (const each of given) if (typeof each === 'function') each()
        return true
      })
    expect(await keys(['list', '--json'])).toBe(0)
    expect(said.mock.calls).toEqual([
      [
        'svc keys list: with STORE=memory only the service itself knows when a key was used: GET /usage with the key shows its days\n',
      ],
    ])
    expect(written.mock.calls.map(([line]) => JSON.parse(String(line)))).toEqual([
      { subject: subject('a'), name: 'shop', state: 'valid', from: null, until: null },
    ])
  })

  test('has a table for a person', () => {
    expect(tablesOf(listOf(entries, uses, now))).toBe(
      [
        'API keys',
        `  ${subject('a')}  shop, ended 2026-12-01T00:00:00.000Z, last used 2026-12-01T00:00:05.000Z, after its end: a caller still sends it`,
        `  ${subject('b')}  shop, valid until 2026-12-01T00:01:00.000Z, last used on 2026-12-01`,
        `  ${subject('c')}  not valid before 2026-12-01T00:00:01.000Z, until 2026-12-01T00:01:00.000Z, never used`,
        `  ${subject('d')}  valid, last used on 2026-11-29`,
        `  ${subject('e')}  valid, never used`,
        '',
        'No longer configured',
        `  ${subject('f')}  gone, last used 2026-11-30T23:59:59.000Z`,
        '',
      ].join('\n'),
    )
    expect(tablesOf([])).toBe('No API key is configured.\n')
  })
})
