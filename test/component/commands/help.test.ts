import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { svcProgram } from '../../support/programs/program-path.ts'
import { run } from './admin-world.ts'
import { runHere } from './run-here.ts'

/* Every command, and every action of those that have some. */

const svc = svcProgram()
const root = execFileSync(process.execPath, [svc, '--help'], { encoding: 'utf8' })
const commands = [...root.matchAll(/^ {2}([a-z]+) +\S/gm)].map(([, name = '']) => name)
const actions: Readonly<Record<string, readonly string[]>> = {
  upto: ['status', 'deploy', 'extend', 'restore'],
  settlements: ['list', 'show', 'resolve'],
  keys: ['new', 'list'],
  wallet: ['new'],
  completion: ['bash', 'zsh', 'fish'],
  pay: ['status'],
  kube: ['status', 'report', 'pause', 'resume', 'rollout', 'pay'],
}
const calls = commands.flatMap((command) => [
  [command],
  ...(actions[command] ?? []).map((action) => [command, action]),
])

/** An environment in which nothing is configured. */
const bare = { PATH: process.env['PATH'] }

const say = (...call: readonly string[]) => runHere(bare, ...call)

test('every command is listed', () => {
  expect(commands).toEqual([
    'serve',
    'facilitator',
    'catalog',
    'explorer',
    'operator',
    'migrate',
    'status',
    'doctor',
    'preflight',
    'provision',
    'retire',
    'rotate',
    'upto',
    'settlements',
    'statement',
    'kube',
    'crds',
    'keys',
    'wallet',
    'localnet',
    'demo',
    'pay',
    'receipt',
    'mcp',
    'search',
    'inspect',
    'completion',
    'version',
  ])
})

describe.each(calls)('svc %s %s', (...call) => {
  const words = call.filter(Boolean)
  const [command = ''] = words

  test('explains itself: usage, options, environment, exit codes, an example', async () => {
    const ran = await say(command, ...words.slice(1), words.length === 1 ? '--help' : '-h')
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(new RegExp(`^svc ${command}: `))
    expect(ran.out).toMatch(new RegExp(`^ {2}svc ${words.join(' ')}`, 'm'))
    const parts = [...ran.out.matchAll(/^(\S.*)$/gm)].map(([, heading]) => heading).slice(1)
    expect(parts).toEqual(['Options', 'Environment', 'Exit codes', 'Example'])
    expect(ran.out).toMatch(/^ {2}0 {3,4}\S.*\n(?: {2,}\S.*\n)* {2}64 {2,3}\S/m)
    const explained = ran.out.slice(ran.out.indexOf('\nOptions'), ran.out.indexOf('\nExample'))
    expect(explained.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('exits 64 for an unknown option, with a hint', async () => {
    const refused = await say(command, ...words.slice(1), '--no-such-option')
    expect(refused).toMatchObject({ code: 64, out: '' })
    expect(refused.err).toContain('--no-such-option')
    expect(refused.err).toContain(`svc ${command} --help says what it takes.`)
  })
})

test('svc help doctor is svc doctor --help', async () => {
  const ran = await run(bare, 'help', 'doctor')
  expect(ran.code).toBe(0)
  expect(ran.out).toMatch(/^svc doctor: /)
})

describe('exit codes', () => {
  const unconfigured = [
    'operator',
    'kube',
    'crds',
    'keys',
    'wallet',
    'localnet',
    'demo',
    'pay',
    'receipt',
    'mcp',
    'search',
    'inspect',
    'completion',
    'version',
  ]
  const stated = ['--key', 'key:0123456789abcdef', '--month', '2026-11']
  const configured = commands.filter((name) => !unconfigured.includes(name))

  test.each(configured)('svc %s exits 78 when nothing is configured', async (command) => {
    const args = command === 'statement' ? stated : (actions[command]?.slice(0, 1) ?? [])
    // The default; named here, or status and doctor would look at a demo that runs from this clone.
    // One as the program, whose exit code it is.
    const start = command === 'serve' ? run : runHere
    const ran = await start({ ...bare, STORE: 'postgres' }, command, ...args)
    expect(ran).toMatchObject({ code: 78, out: '' })
    expect(ran.err).toMatch(/^the configuration is invalid:\n {2}/)
  })

  const gone = 'postgres://127.0.0.1:1/x'
  test.each([
    ['migrate'],
    ['migrate', '--check'],
    ['keys', 'list'],
    ['settlements', 'list'],
    ['settlements', 'show', '0'.repeat(64)],
    ['statement', ...stated],
  ])('svc %s %s exits 1 in a sentence without its database', async (...call) => {
    const args = call.filter((word) => typeof word === 'string')
    const ran = await runHere({ ...bare, DATABASE_URL: gone }, ...args)
    expect(ran.code).toBe(1)
    expect(ran.err).toMatch(
      /^svc \w+: Nothing accepts connections at 127\.0\.0\.1:1 .*\. Start Postgres there, .*\n$/,
    )
  })

  test.each([
    { args: ['settlements', 'list', '--ledger', '4'], says: 'list does not take --ledger' },
    { args: ['settlements', 'show', '0'.repeat(64), '--only', 'all'], says: 'take --only' },
    { args: ['settlements', 'end'], says: 'expected list' },
    { args: ['settlements', 'list', '--limit', 'many'], says: '--limit is a whole number' },
    { args: ['settlements', 'shwo'], says: 'Did you mean show?' },
    { args: ['settlements', 'list', 'all'], says: "so not 'all'" },
    { args: ['settlements', 'show'], says: 'the hash of one transaction' },
    { args: ['keys', 'old'], says: 'expected new or list' },
    { args: ['pay', 'http://127.0.0.1:1'], says: 'a URL needs --max' },
    { args: ['pay', 'status'], says: 'status takes the reference of one payment' },
    { args: ['pay', 'status', 'x', '--max', '1'], says: 'status does not take --max' },
    { args: ['demo', '--port', 'x'], says: '--port is a port' },
    { args: ['localnet', '--limits', 'few'], says: '--limits' },
    { args: ['doctor', '--timeout', 'soon'], says: '--timeout is a time such as 5s' },
    { args: ['doctor', '--network', 'stellar:moon'], says: '--network is one of' },
  ])('svc $args exits 64', async ({ args: [name = '', ...args], says }) => {
    const ran = await say(name, ...args)
    expect(ran).toMatchObject({ code: 64, out: '' })
    expect(ran.err).toContain(says)
  })
})
