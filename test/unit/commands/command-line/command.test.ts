import { afterEach, describe, expect, test, vi } from 'vitest'
import { command } from '../../../../src/commands/command-line/command.ts'
import { flag, networkId, port, text, texts } from '../../../../src/commands/command-line/flags.ts'
import { UsageError } from '../../../../src/commands/command-line/usage-error.ts'
import { messageOf } from '../../../../src/service/process/message-of.ts'
import { ConfigError } from '../../../../src/settings/parser/config-error.ts'
import { runHere as run } from './run-here.ts'

afterEach(() => vi.restoreAllMocks())

const described = { name: 'try', summary: 'tries it', exits: { 0: 'done' }, example: 'svc try' }

const flags = {
  check: flag('only checks'),
  'api-port': port(80, 'of the API'),
  network: networkId('this one only'),
  dir: text('PATH', 'a folder', 'or a file'),
}

const HINT = 'svc try --help says what it takes.\n'

describe('the command line', () => {
  const received = vi.fn()
  const attempt = command({
    ...described,
    flags,
    run: async ({ flags: values }) => {
      received(values)
      return 3
    },
  })
  afterEach(() => received.mockClear())

  test('gives run the value of every flag, defaults included', async () => {
    expect(await run(attempt)).toEqual({ code: 3, out: '', err: '' })
    expect(await run(attempt, '--check', '--api-port', '8080', '--dir=-x')).toMatchObject({
      code: 3,
    })
    expect(received.mock.calls).toEqual([
      [{ check: false, 'api-port': 80, network: undefined, dir: undefined }],
      [{ check: true, 'api-port': 8080, network: undefined, dir: '-x' }],
    ])
  })

  test.each([
    { args: ['--bad'], problem: "Unknown option '--bad'" },
    { args: ['--netwrok=x'], problem: "Unknown option '--netwrok'. Did you mean --network?" },
    { args: ['--hlep'], problem: "Unknown option '--hlep'. Did you mean --help?" },
    { args: ['--dir=a', '--dir=b'], problem: '--dir is given more than once' },
    { args: [`S${'A'.repeat(55)}`], problem: "Unexpected argument 'S...'" },
    { args: ['-x'], problem: "Unknown option '-x'" },
    { args: ['--toString'], problem: "Unknown option '--toString'" },
    { args: ['now'], problem: "Unexpected argument 'now'" },
    { args: ['--check=1'], problem: '--check takes no value' },
    { args: ['--dir'], problem: '--dir needs a value' },
    {
      args: ['--dir', '--check'],
      problem: '--dir needs a value; one that starts with a dash is written --dir=--check',
    },
    { args: ['--api-port', 'x'], problem: '--api-port is a port from 0 to 65535, not x' },
    { args: ['--bad', '--help'], problem: "Unknown option '--bad'" },
  ])('exits 64 for $args, and does not run', async ({ args, problem }) => {
    const said = { code: 64, out: '', err: `svc try: ${problem}\n${HINT}` }
    expect(await run(attempt, ...args)).toEqual(said)
    expect(received).not.toHaveBeenCalled()
  })

  test('lists every problem at once', async () => {
    const args = ['--bad', 'extra', '--check=1', '--dir', '--api-port', 'x', '--network']
    expect((await run(attempt, ...args)).err).toBe(
      [
        'svc try:',
        "  - Unknown option '--bad'",
        "  - Unexpected argument 'extra'",
        '  - --check takes no value',
        '  - --dir needs a value; one that starts with a dash is written --dir=--api-port',
        "  - Unexpected argument 'x'",
        '  - --network needs a value',
        HINT,
      ].join('\n'),
    )
  })

  test.each(['--help', '-h'])('%s prints the page, whatever the values are', async (help) => {
    const { code, out, err } = await run(attempt, '--api-port', 'x', help)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toBe(`svc try: tries it

  svc try

Options
  --check          only checks
  --api-port PORT  of the API (default: 80)
  --network ID     this one only
  --dir PATH       a folder or a file
  --help, -h       this page

Environment
  nothing  is read

Exit codes
  0   done
  64  the command line was not understood

Example
  svc try

`)
    expect(received).not.toHaveBeenCalled()
  })
})

test('positionals are read with the flags, before the configuration', async () => {
  const attempt = command({
    ...described,
    flags,
    positionals: ([word], { check }) => {
      if (word === undefined) throw new UsageError('expected a word')
      return `${word} ${check}`
    },
    config: () => {
      throw new ConfigError([{ variable: 'PORT', message: 'is required' }])
    },
    run: async () => 0,
  })
  expect(await run(attempt)).toMatchObject({
    code: 64,
    err: `svc try: expected a word\n${HINT}`,
  })
  expect(await run(attempt, 'now')).toMatchObject({
    code: 78,
    err: 'the configuration is invalid:\n  PORT is required\n',
  })
  expect((await run(attempt, '--help')).out).toContain('78  the configuration is wrong')
})

test('a list takes every value, in their order', async () => {
  const received = vi.fn()
  const attempt = command({
    ...described,
    flags: { header: texts('NAME: VALUE', 'a header') },
    run: async (input) => {
      received(input.flags.header)
      return 0
    },
  })
  await run(attempt, '--header', 'b: 1', '--header', 'a: 2')
  await run(attempt)
  expect(received.mock.calls).toEqual([[['b: 1', 'a: 2']], [[]]])
})

describe('an action', () => {
  const received = vi.fn()
  const attempt = command({
    ...described,
    flags,
    actions: { list: ['check', 'network'], show: [], delete: [] },
    positionals: (words, _, action) => {
      if (action !== 'show' && words.length > 0) throw new UsageError('no words')
      return words
    },
    run: async ({ action, positionals, flags: { check } }) => {
      received(action, positionals, check)
      return 0
    },
  })
  afterEach(() => received.mockClear())

  test('is given to run, and the words after it', async () => {
    expect((await run(attempt, 'list', '--check')).code).toBe(0)
    expect((await run(attempt, 'show', 'a', 'b')).code).toBe(0)
    expect(received.mock.calls).toEqual([
      ['list', [], true],
      ['show', ['a', 'b'], false],
    ])
  })

  test.each([
    { args: [], problem: 'expected list, show or delete' },
    { args: ['lsit'], problem: "expected list, show or delete, not 'lsit'. Did you mean list?" },
    { args: ['toString'], problem: "expected list, show or delete, not 'toString'" },
    { args: ['show', '--check'], problem: 'show does not take --check' },
    { args: ['list', 'all'], problem: 'no words' },
  ])('is refused for $args', async ({ args, problem }) => {
    const said = { code: 64, out: '', err: `svc try: ${problem}\n${HINT}` }
    expect(await run(attempt, ...args)).toEqual(said)
    expect(received).not.toHaveBeenCalled()
  })
})

describe('an error of run', () => {
  const failing = (error: Error) =>
    command({
      ...described,
      explain: messageOf(RangeError),
      run: async () => {
        throw error
      },
    })

  test('is explained in a sentence when it was to be expected', async () => {
    const ran = await run(failing(new RangeError('too far')))
    expect(ran).toEqual({ code: 1, out: '', err: 'svc try: too far\n' })
  })

  test('about the command line exits 64', async () => {
    expect(await run(failing(new UsageError('not this one')))).toMatchObject({ code: 64 })
  })

  test('is thrown otherwise', async () => {
    await expect(failing(new TypeError('a defect'))([])).rejects.toThrow('a defect')
  })
})

describe('a signal', () => {
  test('aborts stop for a command that handles it, and no listener is left', async () => {
    const before = process.listenerCount('SIGTERM')
    const attempt = command({
      ...described,
      handlesStop: true,
      run: async ({ stop }) => {
        expect(process.listenerCount('SIGTERM')).toBe(before + 1)
        process.emit('SIGTERM', 'SIGTERM')
        expect(stop.reason).toMatchObject({ signal: 'SIGTERM', message: 'stopped by SIGTERM' })
        return 0
      },
    })
    expect(await attempt([])).toBe(0)
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })

  test('ends the process during a command that does not, as the first process of a container too', async () => {
    const before = process.listenerCount('SIGINT')
    const attempt = command({
      ...described,
      run: async () => process.listenerCount('SIGINT') - before,
    })
    expect(await attempt([])).toBe(1)
    expect(process.listenerCount('SIGINT')).toBe(before)
  })
})
