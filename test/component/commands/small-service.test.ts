import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { projectRoot } from '../../support/image-files.ts'

/* A service that Node is started with directly limits V8's space for young objects and the areas of the C library itself. */

const svc = join(projectRoot, 'src/commands/svc.ts')
const { PATH } = process.env
/** Prints the process id, the limits, the areas and the folder of compiled code of each start, on standard error. Its text has no limit. */
const printing = [
  '--import',
  'data:text/javascript,const { pid, execArgv, env } = process; ' +
    "const limits = (execArgv + ' ' + env.NODE_OPTIONS).match(/--max-semi.space-size=\\d+/g);" +
    'const { MALLOC_ARENA_MAX: arenas, NODE_COMPILE_CACHE: folder } = env;' +
    'console.error(JSON.stringify({ pid, limits, arenas, folder }))',
]

interface Start {
  readonly pid: number
  readonly limits: readonly string[] | null
  readonly arenas?: string
  readonly folder?: string
}

const startsIn = (stderr: string): Start[] =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

async function startsOf(args: readonly string[], env = {}): Promise<Start[]> {
  const { stderr } = await promisify(execFile)(process.execPath, [...printing, ...args], {
    env: { PATH, ...env },
  })
  return startsIn(stderr)
}

test('a service starts anew with both limits, as the same process', async () => {
  const [first, second, ...more] = await startsOf([svc, 'facilitator', '--help'])
  expect(first).toMatchObject({ limits: null })
  expect(second).toMatchObject({
    pid: first?.pid,
    limits: ['--max-semi-space-size=8'],
    arenas: '2',
  })
  expect(more).toEqual([])
})

test('its threads share the folder of compiled code, or that which a person named', async () => {
  const [, own] = await startsOf([svc, 'facilitator', '--help'])
  expect(own?.folder).toMatch(/node_modules\/\.cache\/svc$/)
  const named = { NODE_COMPILE_CACHE: join(projectRoot, 'node_modules/.cache/tests') }
  expect((await startsOf([svc, 'facilitator', '--help'], named)).at(-1)).toMatchObject({
    folder: named.NODE_COMPILE_CACHE,
  })
})

test.each([
  {
    what: 'a limit on the command line',
    args: ['--max-semi-space-size=16', svc, 'facilitator', '--help'],
    env: {},
    last: { limits: ['--max-semi-space-size=16'], arenas: '2' },
  },
  {
    what: 'a limit in NODE_OPTIONS',
    args: [svc, 'facilitator', '--help'],
    env: { NODE_OPTIONS: '--max-semi-space-size=4' },
    last: { limits: ['--max-semi-space-size=4'], arenas: '2' },
  },
  {
    what: 'a number of areas',
    args: [svc, 'facilitator', '--help'],
    env: { MALLOC_ARENA_MAX: '5' },
    last: { limits: ['--max-semi-space-size=8'], arenas: '5' },
  },
])('$what stays as it is', async ({ args, env, last }) => {
  const starts = await startsOf(args, env)
  expect(starts).toHaveLength(2)
  expect(starts.at(-1)).toMatchObject(last)
})

test.each([
  {
    what: 'a service with both limits',
    args: ['--max-semi-space-size=16', svc, 'facilitator', '--help'],
    env: { MALLOC_ARENA_MAX: '5' },
  },
  { what: 'a command that is no service', args: [svc, 'version'], env: {} },
])('$what starts once', async ({ args, env }) => {
  expect(await startsOf(args, env)).toHaveLength(1)
})

test('a service keeps the channel to its parent, and so starts once', async () => {
  const child = spawn(process.execPath, [...printing, svc, 'facilitator', '--help'], {
    env: { PATH },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const [stderr] = await Promise.all([text(child.stderr!), once(child, 'exit')])
  expect(startsIn(stderr)).toHaveLength(1)
})
