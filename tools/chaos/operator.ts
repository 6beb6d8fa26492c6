/**
 * The second half of `make chaos`: the disasters of test/cluster/chaos with the durations of
 * docs/reliability.md, on a real API server. Prints how long everything took; Markdown. `--short`
 * plays them as short as `make test` does.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    /** Part of a file's name. */
    only: { type: 'string', default: '' },
  },
})
const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'))
const times = join(folder, 'times.jsonl')
const began = performance.now()
const child = spawn(
  'vitest',
  ['run', '--project', 'cluster', `test/cluster/chaos/${values.only}`],
  {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, CHAOS_TIMES: times, ...(!values.short && { CHAOS: 'full' }) },
  },
)
const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
const lines = (await readFile(times, 'utf8').catch(() => ''))
  .split('\n')
  .filter((line) => line !== '')
await rm(folder, { recursive: true })

const minutes = ((performance.now() - began) / 60_000).toFixed(1)
const load = loadavg()[0]?.toFixed(1)
const rows = lines.map((line) => {
  const { what, tookMs }: { what: string; tookMs: number } = JSON.parse(line)
  return `| ${what} | ${(tookMs / 1_000).toFixed(1)} |`
})
process.stdout.write(
  [
    `Command: \`node tools/chaos/operator.ts${values.short ? ' --short' : ''}\``,
    `Machine: ${availableParallelism()} cores, load ${load}, Node ${process.version}; ${minutes} minutes`,
    '',
    '| What | s |',
    '| - | -: |',
    ...rows.sort(),
    '',
  ].join('\n'),
)
process.exitCode = code ?? 1
