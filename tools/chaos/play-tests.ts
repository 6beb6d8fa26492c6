/** Runs tests as long as docs/reliability.md says, and prints how long everything took; Markdown. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PlayedTests {
  readonly project: string
  /** Parts of their paths. */
  readonly files: readonly string[]
  /** Whether to play them as briefly as `make test`. */
  readonly isShort: boolean
  /** The command as a person types it. */
  readonly command: string
}

/** @returns the exit code of the test runner */
export async function playTests({ project, files, isShort, command }: PlayedTests) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'))
  const times = join(folder, 'times.jsonl')
  const began = performance.now()
  const child = spawn('vitest', ['run', '--project', project, ...files], {
    stdio: ['ignore', 2, 2],
    env: {
      ...process.env,
      TEST_CLUSTER_BUILD: '1',
      CHAOS_TIMES: times,
      ...(!isShort && { CHAOS: 'full' }),
    },
  })
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
      `Command: \`${command}${isShort ? ' --short' : ''}\``,
      `Machine: ${availableParallelism()} cores, load ${load}, Node ${process.version}; ${minutes} minutes`,
      '',
      ...(rows.length > 0 ? ['| What | s |', '| - | -: |', ...rows.sort(), ''] : []),
    ].join('\n'),
  )
  return code ?? 1
}
