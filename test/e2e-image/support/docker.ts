import { output } from '../../../tools/image/command.ts'
import { ownDaemon } from './docker-daemon.ts'

export interface Docker extends AsyncDisposable {
  /** @returns the standard output of `docker ARGS` */
  run(...args: readonly string[]): Promise<string>
}

/** The Docker of this machine if its daemon answers, else one of Debian's package for the time of the test. */
export async function docker(): Promise<Docker | { readonly missing: string }> {
  const run = (...args: readonly string[]) => output('docker', args)
  const answers = await run('version').then(
    () => true,
    () => false,
  )
  if (answers) return { run, [Symbol.asyncDispose]: async () => undefined }
  return ownDaemon()
}
