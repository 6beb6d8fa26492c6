import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { inject, vi } from 'vitest'

const clone = join(import.meta.dirname, '../../..')

/** What the commands of the pages leave in the folder. */
const LEFT_BY_READERS = /^(node_modules|package-lock\.json|budget\.sqlite.*)$|\.seed$/

interface Manifest {
  readonly version?: string
  readonly bin?: string | Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

interface Run {
  readonly code: number | null
  /** Standard output and standard error, in the order in which they arrived. */
  readonly output: string
}

interface Started extends AsyncDisposable {
  /** What the pattern matched. */
  readonly match: RegExpExecArray
}

interface RunOptions {
  /** What follows `--`. */
  readonly args?: readonly string[]
  /** Beside HOME and PATH. */
  readonly env?: Readonly<Record<string, string>>
}

export interface ExampleOptions {
  /** The Node that runs npm and the scripts. @default that of the tests */
  readonly node?: string
  /** The home folder of the scripts. @default one of the example alone */
  readonly home?: string
}

/** A copy of an example in a folder of its own. */
export interface Example extends AsyncDisposable {
  /** Runs a script of its package.json to its end. */
  run(script: string, options?: RunOptions): Promise<Run>
  /** Runs one that goes on, and waits until its output matches. */
  start(script: string, ready: RegExp, options?: RunOptions): Promise<Started>
}

/**
 * Copies an example. The copy has the dependencies that its package.json names, and no others: `svc` from the tarball, the
 * rest from where npm installed that, or else from the clone. To install them for each example would take longer than the
 * examples do.
 */
export async function openExample(
  name: string,
  { node = process.execPath, home }: ExampleOptions = {},
): Promise<Example> {
  const parent = await mkdtemp(join(tmpdir(), 'svc-example-'))
  const folder = join(parent, name)
  await using opened = new AsyncDisposableStack()
  opened.defer(() => rm(parent, { recursive: true, force: true }))
  await cp(join(clone, 'examples', name), folder, {
    recursive: true,
    filter: (path) => !LEFT_BY_READERS.test(basename(path)),
  })
  const { dependencies, devDependencies } = manifestOf(folder)
  for (const [dependency, wanted] of Object.entries({ ...dependencies, ...devDependencies })) {
    await link(folder, dependency, wanted)
  }

  const env = {
    HOME: home ?? parent,
    PATH: [dirname(node), process.env['PATH']].join(delimiter),
    NO_COLOR: '1',
    // The stock client asks a public server of Stellar for ledger times. Through this proxy it fails at once.
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1',
  }
  const npmRun = (script: string, { args = [], env: more }: RunOptions = {}) =>
    spawn('npm', ['run', '--silent', script, '--', ...args], {
      cwd: folder,
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      // npm does not pass every signal on: the whole group is ended.
      detached: true,
    })
  const resources = opened.move()
  return {
    run: async (script, options) => {
      const child = npmRun(script, options)
      const output = outputOf(child)
      const [code] = await once(child, 'close')
      return { code, output: output() }
    },
    start: async (script, ready, options) => {
      const child = npmRun(script, options)
      const output = outputOf(child)
      const stop = () => stopGroup(child)
      resources.defer(stop)
      // Also in hooks, where `expect.poll` is not allowed.
      await vi.waitUntil(() => child.exitCode !== null || ready.test(output()), 160_000)
      const match = ready.exec(output())
      if (!match) throw new Error(`${script} of ${name} ended: ${output()}`)
      return { match, [Symbol.asyncDispose]: stop }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

async function link(folder: string, dependency: string, wanted: string): Promise<void> {
  const { folder: project, tarball } = inject('installed')
  const installed = join(project, 'node_modules', dependency)
  const target = existsSync(installed) ? installed : join(clone, 'node_modules', dependency)
  const { version, bin } = manifestOf(target)
  const found = dependency === 'stellar-x402' ? `file:../../dist/${basename(tarball)}` : version
  if (found !== wanted) throw new Error(`${dependency} is ${found}; the example wants ${wanted}`)

  const modules = join(folder, 'node_modules')
  await linkPath(join(modules, dependency), target)
  const programs = typeof bin === 'string' ? { [basename(dependency)]: bin } : bin
  for (const [program, path] of Object.entries(programs ?? {})) {
    await linkPath(join(modules, '.bin', program), join(target, path))
  }
}

async function linkPath(path: string, target: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}

function outputOf(child: ChildProcess): () => string {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return () => output
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  process.kill(-child.pid, 'SIGKILL')
  await closed
}
