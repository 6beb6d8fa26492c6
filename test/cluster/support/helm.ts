import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { helm } from './tools.ts'

const run = promisify(execFile)

export interface Helm extends AsyncDisposable {
  /** Runs helm against the cluster; returns its output, or throws an error with it. */
  run(...args: readonly string[]): Promise<string>
}

/** Helm with its own home folder. Throws an Error when helm is missing. */
export async function startHelm(kubeconfigPath: string): Promise<Helm> {
  const tool = await helm()
  if ('missing' in tool) throw new Error(tool.missing)
  const home = await mkdtemp(join(tmpdir(), 'svc-helm-'))
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    KUBECONFIG: kubeconfigPath,
    HELM_CACHE_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_DATA_HOME: home,
  }
  return {
    run: async (...args) => {
      const { stdout } = await run(tool.path, [...args], { env, maxBuffer: 16 * 1024 * 1024 })
      return stdout
    },
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  }
}
