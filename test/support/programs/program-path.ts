import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The programs and workers that start as processes or threads of their own. */
export const sources: readonly string[] = [
  'src/commands/svc.ts',
  'src/service/process/follow-parent.ts',
  'src/service/explorer/beside/explorer-worker.ts',
  'src/catalog/search/worker/index-worker.ts',
  'src/catalog/validation/validate-in-worker.ts',
  'test/support/crash-replica-process.ts',
  'test/support/catalog/intake-process.ts',
  'test/support/paid-once/buyer-process.ts',
  'test/support/paid-once/seller-process.ts',
]

/** The variable with the folder of bundled programs; the global set-up of tests sets it. */
export const FOLDER_VARIABLE = 'TEST_PROGRAMS'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export const bundledFile = (folder: string, source: string): string =>
  join(folder, source.replace(/\.ts$/, '.js'))

/** What Node starts for a program: its bundle where there is one, else its source. */
export function programPath(source: string): string {
  const folder = process.env[FOLDER_VARIABLE]
  return folder && sources.includes(source) ? bundledFile(folder, source) : join(root, source)
}

/** `svc`, to be started by `process.execPath`. */
export const svcProgram = (): string => programPath('src/commands/svc.ts')

/** The folder with `svc` and `kubectl-svc`, for the PATH of a shell: of the bundle where there is one, else bin/. */
export function commandsFolder(): string {
  const folder = process.env[FOLDER_VARIABLE]
  return join(folder ?? root, 'bin')
}
