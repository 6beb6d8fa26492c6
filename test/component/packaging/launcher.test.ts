import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../support/image-files.ts'

/* bin/svc, which finds the right Node: with an old Node, and with a new one that claims to be old. */

const { PATH } = process.env
const launcher = join(projectRoot, 'bin/svc')
let folder: string
let bare: string
let pretend: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc launcher '))
  bare = join(folder, 'clone')
  for (const path of ['bin', 'package.json']) {
    await cp(join(projectRoot, path), join(bare, path), { recursive: true })
  }
  pretend = join(folder, 'old.cjs')
  await writeFile(
    pretend,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })\n",
  )
})

afterAll(() => rm(folder, { recursive: true, force: true }))

interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

const run = (program: string, args: readonly string[], env = {}): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(program, args, { env: { PATH, ...env } }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
    )
  })

/** Nodes of this machine that are too old, and one that claims to be. */
const olds: readonly (readonly [string, () => readonly string[]])[] = [
  [process.execPath, () => ['--require', pretend]],
  ...execFileSync('/bin/sh', ['-c', 'ls -1 /usr/bin/node /usr/local/bin/node 2>/dev/null || true'])
    .toString()
    .split('\n')
    .filter((path) => path !== '' && majorOf(path) >= 12 && majorOf(path) < 24)
    .map((path) => [path, () => []] as const),
]

function majorOf(node: string): number {
  return Number.parseInt(execFileSync(node, ['-p', 'process.versions.node']).toString(), 10)
}

describe.each(olds)('%s, too old', (node, options) => {
  test('runs svc with the Node of node_modules', async () => {
    const ran = await run(node, [...options(), launcher, 'version'])
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(/, Node 2[4-9]\.\d+\.\d+\n$/)
  })

  test('passes arguments and exit code on', async () => {
    expect(await run(node, [...options(), launcher, 'crds', 'a b'])).toMatchObject({
      code: 64,
      out: '',
      err: expect.stringContaining("argument 'a b'"),
    })
  })

  test('says what to do where node_modules has none', async () => {
    const ran = await run(node, [...options(), join(bare, 'bin/svc'), 'version'])
    expect(ran).toMatchObject({ code: 69, out: '' })
    expect(ran.err).toMatch(
      /^svc needs Node 24 or newer, and this is Node \d+\.\d+\.\d+\. Run npm ci in .*clone, which brings Node 24 along, or install it: https:\/\/nodejs\.org\n$/,
    )
  })

  test('passes SIGTERM on, and ends as the command does', async () => {
    const args = [...options(), launcher, 'localnet', '--port', '0', '--close-every', 'manual']
    const child = spawn(node, args, { env: { PATH }, stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

describe('a new Node', () => {
  const script = "console.log(process.execArgv.join(' ')); process.exit()"

  test.each([
    {
      when: 'gets the limit of young objects',
      flags: [],
      env: {},
      prints: /--max-semi-space-size=8/,
    },
    {
      when: 'keeps the limit that a person gave it',
      flags: ['--max-semi-space-size=16'],
      env: {},
      prints: /^--max-semi-space-size=16\n$/,
    },
    {
      when: 'keeps the limit of NODE_OPTIONS',
      flags: [],
      env: { NODE_OPTIONS: '--max-semi-space-size=4' },
      prints: /^\n$/,
    },
  ])('$when', async ({ flags, env, prints }) => {
    const copy = await mkdtemp(join(folder, 'new-'))
    await cp(join(bare, 'bin'), join(copy, 'bin'), { recursive: true })
    await cp(join(bare, 'package.json'), join(copy, 'package.json'))
    await mkdir(join(copy, 'src/commands'), { recursive: true })
    await writeFile(join(copy, 'src/commands/svc.ts'), script)
    const ran = await run(process.execPath, [...flags, join(copy, 'bin/svc')], env)
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(prints)
  })

  test('runs svc through a link on the path, from any folder', async () => {
    await symlink(launcher, join(folder, 'svc'))
    const ran = await run(join(folder, 'svc'), ['version'])
    expect(ran).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^svc /) })
  })
})
