/** The limit of V8's space for young objects, in MB, as the image and bin/svc set it. */
const YOUNG_SPACE = '--max-semi-space-size'
const YOUNG_SPACE_MB = 8

/**
 * Keeps a service small, however it was started (docs/performance.md): its threads use the folder of compiled code too, and V8's
 * space for young objects is limited. V8 takes that limit only from the command line, so the process starts anew, with the same
 * process id; call this before anything is opened. A process whose parent speaks to it over IPC goes on as it is, since the channel
 * would be lost, and so does one with a limit of its own.
 */
export function keepServiceSmall(compiled: string): void {
  // Threads get the variables of the process, not the folder that it enabled for itself.
  process.env['NODE_COMPILE_CACHE'] ??= compiled
  const { execArgv, execPath, env } = process
  const hasLimit = `${execArgv} ${env['NODE_OPTIONS']}`.includes(YOUNG_SPACE)
  if (hasLimit || !process.execve || process.channel) return
  const options = [...execArgv, `${YOUNG_SPACE}=${YOUNG_SPACE_MB}`]
  process.execve(execPath, [execPath, ...options, ...process.argv.slice(1)], env)
}
