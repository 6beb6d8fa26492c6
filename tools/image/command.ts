import { execFile } from 'node:child_process'
import { delimiter, sep } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export interface CommandOptions {
  readonly cwd?: string
  /** Beside the variables of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Instead of them. */
  readonly onlyEnv?: Readonly<Record<string, string>>
}

/**
 * Runs a program of this machine and returns its standard output. Programs of node_modules are not found: npm has to run
 * with the Node that it came with.
 * @throws Error with the end of the program's output
 */
export async function output(
  program: string,
  args: readonly string[],
  { cwd, env, onlyEnv }: CommandOptions = {},
): Promise<string> {
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes(`node_modules${sep}.bin`))
    .join(delimiter)
  try {
    const { stdout } = await execute(program, args, {
      ...(cwd !== undefined && { cwd }),
      env: onlyEnv ?? { ...process.env, PATH: path, ...env },
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    const end = stderr.trim().split('\n').slice(-5).join('\n')
    throw new Error(`${program} ${args.join(' ')} failed: ${end || message}`)
  }
}
