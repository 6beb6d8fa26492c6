/** Runs command lines of the documents as their reader types them. */
import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { helm, kubectl } from '../../cluster/support/tools.ts'

export interface Shell {
  /**
   * Types the lines into one shell, which ends at the first that fails.
   * @returns what they print on both outputs
   * @throws Error with that when one fails
   */
  type(lines: string): Promise<string>
}

interface ShellOptions {
  readonly kubeconfigPath: string
  /** Working directory, and home folder of helm. */
  readonly folder: string
  /** @default `folder` */
  readonly workingDirectory?: string
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

/** A shell with `kubectl` and `helm` of the tests in its PATH. */
export async function openShell({
  kubeconfigPath,
  folder,
  workingDirectory = folder,
}: ShellOptions): Promise<Shell> {
  const tools = await Promise.all([kubectl(), helm()])
  const folders = tools.map((tool) => {
    if ('missing' in tool) throw new Error(tool.missing)
    return dirname(tool.path)
  })
  const env = {
    PATH: [...folders, process.env['PATH']].join(':'),
    HOME: folder,
    KUBECONFIG: kubeconfigPath,
    HELM_CACHE_HOME: folder,
    HELM_CONFIG_HOME: folder,
    HELM_DATA_HOME: folder,
  }
  return {
    type: (lines) =>
      new Promise((resolve, reject) => {
        const options = { env, cwd: workingDirectory, maxBuffer: MAX_OUTPUT_BYTES }
        execFile('bash', ['-e', '-c', `exec 2>&1\n${lines}`], options, (error, output) => {
          if (error === null) resolve(output)
          else reject(new Error(`${lines.trim()}\nended with ${error.code}:\n${output}`))
        })
      }),
  }
}
