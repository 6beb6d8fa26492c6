/** The limit of V8's space for young objects, in MB, as the image and bin/svc set it. */
const YOUNG_SPACE = '--max-semi-space-size'
const YOUNG_SPACE_MB = 8

/**
 * How many areas glibc takes memory from, as the image sets it. By default each thread gets one of its own, up to eight for a
 * processor, and what a thread has freed serves no other.
 */
const ARENAS = 'MALLOC_ARENA_MAX'
const ARENA_COUNT = 2

/**
 * Keeps a service small, however it was started (docs/performance.md): its threads use the folder of compiled code too, V8's
 * space for young objects is limited, and its threads share memory that they freed. V8 takes the second only from the command line,
 * and the C library reads the third at the start of a process, so the process starts anew, with the same process id; call this
 * before anything is opened. A process whose parent speaks to it over IPC goes on as it is, since the channel would be lost. What
 * a person has set stays.
 */
export function keepServiceSmall(compiled: string): void {
  // Threads get the variables of the process, not the folder that it enabled for itself.
  process.env['NODE_COMPILE_CACHE'] ??= compiled
  const { execArgv, execPath, env } = process
  const hasYoungSpace = `${execArgv} ${env['NODE_OPTIONS']}`.includes(YOUNG_SPACE)
  const isSmall = hasYoungSpace && env[ARENAS] !== undefined
  if (isSmall || !process.execve || process.channel) return
  const options = hasYoungSpace ? execArgv : [...execArgv, `${YOUNG_SPACE}=${YOUNG_SPACE_MB}`]
  process.execve(execPath, [execPath, ...options, ...process.argv.slice(1)], {
    [ARENAS]: String(ARENA_COUNT),
    ...env,
  })
}
