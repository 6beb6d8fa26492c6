import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { svcScript } from '../program.ts'
import { median } from '../statistics.ts'

export interface CommandCost {
  readonly command: string
  /** Processor time, at the median. */
  readonly cpuMs: number
  /** Most resident memory, at the median, in MB. */
  readonly peak: number
}

const RUNS = 5
const execute = promisify(execFile)
const atExit = fileURLToPath(new URL('usage-at-exit.ts', import.meta.url))

/** Each ends before it needs a server. */
const commands = ['--version', 'pay --help', 'wallet --help', 'search --help', 'serve --help']

/** What it costs to start a command, with Node's cache of compiled code filled. */
export async function measureCommands(): Promise<CommandCost[]> {
  const costs: CommandCost[] = []
  for (const command of commands) {
    await usageOf(command)
    const runs: Usage[] = []
    for (let run = 1; run <= RUNS; run += 1) runs.push(await usageOf(command))
    const cpuMs = median(runs.map((run) => run.cpuMs))
    costs.push({ command: `svc ${command}`, cpuMs, peak: median(runs.map(({ peak }) => peak)) })
  }
  return costs
}

type Usage = Pick<CommandCost, 'cpuMs' | 'peak'>

async function usageOf(command: string): Promise<Usage> {
  const { stderr } = await execute(process.execPath, [
    '--max-semi-space-size=8',
    ...['--import', atExit, svcScript, ...command.split(' ')],
  ])
  return JSON.parse(stderr)
}
