/**
 * Time from a fresh clone of the last commit to the demo's printed payment, with a warm npm cache, by step.
 * Not part of `make bench`, since it takes a minute.
 *
 *   node tools/bench/first-payment.ts [--warm]
 *
 * `--warm` fills npm's cache first, in a separate clone, not counted.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const { values } = parseArgs({ options: { warm: { type: 'boolean', default: false } } })

/** Free ports, in case a demo already runs on the default ones. */
const anyPorts = [
  '--port',
  '--facilitator-port',
  '--explorer-port',
  '--network-port',
  '--network-tls-port',
].flatMap((flag) => [flag, '0'])

const folder = await mkdtemp(join(tmpdir(), 'svc-first-payment-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
process.once('SIGINT', () => process.exit(130))

if (values.warm) await step('filling the npm cache, not counted', () => install('warm'))
const clone = join(folder, 'clone')
const load = loadavg()
const cloned = await step('git clone', () => cloneInto(clone))
const installed = await step('npm ci', () => npmCi(clone))
const paid = await step('demo, up to the printed payment', () => demo(clone))
// Stopping the demo is not counted.
await paid.result.ended
report([cloned, installed, paid], load)

async function install(name: string): Promise<void> {
  const clone = join(folder, name)
  await cloneInto(clone)
  await npmCi(clone)
}

function cloneInto(clone: string): Promise<void> {
  return run('git', ['clone', '--quiet', '--no-hardlinks', repository, clone], repository)
}

/** Installs the dependencies like the Makefile. */
function npmCi(clone: string): Promise<void> {
  return run('npm', ['ci', '--loglevel=error'], clone)
}

/** Resolves when the payment's transaction is printed. */
async function demo(clone: string): Promise<{ readonly ended: Promise<unknown> }> {
  const child = start('node', ['src/commands/svc.ts', 'demo', '--once', ...anyPorts], clone)
  const ended = once(child, 'exit')
  let text = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (/\b[0-9a-f]{64}\b/.test(text)) resolve()
    })
    child.once('exit', () => reject(new Error(`the demo printed no payment:\n${text}`)))
  })
  return { ended }
}

interface Step<T> {
  readonly name: string
  readonly ms: number
  readonly result: T
}

async function step<T>(name: string, work: () => Promise<T>): Promise<Step<T>> {
  process.stderr.write(`${name} ...\n`)
  const startedAt = performance.now()
  const result = await work()
  return { name, ms: performance.now() - startedAt, result }
}

async function run(command: string, args: readonly string[], folder: string): Promise<void> {
  const child = start(command, args, folder)
  child.stdout?.resume()
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`)
}

/** PATH without this repository's own dependencies. */
function start(command: string, args: readonly string[], folder: string): ChildProcess {
  const path = (process.env['PATH'] ?? '').split(':').filter((it) => !it.startsWith(repository))
  const own = join(folder, 'node_modules', '.bin')
  const PATH = command === 'node' ? [own, ...path].join(':') : path.join(':')
  return spawn(command, [...args], {
    cwd: folder,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function report(steps: readonly Step<unknown>[], load: readonly number[]): void {
  const total = steps.reduce((sum, { ms }) => sum + ms, 0)
  const rows = [...steps, { name: '**together**', ms: total }]
  const before = load.map((value) => value.toFixed(1)).join(' ')
  process.stdout.write(
    [
      '| from a fresh clone, npm cache warm | |',
      '| - | - |',
      ...rows.map(({ name, ms }) => `| ${name} | ${(ms / 1000).toFixed(1)} s |`),
      '',
      `${availableParallelism()} processors; load average before ${before}`,
      '',
    ].join('\n'),
  )
}
