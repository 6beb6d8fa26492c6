import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Ten times as long as a server needs to stop. */
const WAIT_SECONDS = 60

/**
 * Runs until its standard input ends, which happens however the process at the other end dies. Then it
 * waits until the server's keeper has removed the data, and removes the folder. A folder whose data stays
 * is left to the next start: a server may still write to it.
 */
const script = `
folder=$1
read -r _
waited=0
while [ -e "$folder/data" ] && [ "$waited" -lt ${WAIT_SECONDS} ]; do
  sleep 1
  waited=$((waited + 1))
done
if [ ! -e "$folder/data" ]; then rm -rf "$folder"; fi
`

/**
 * Removes the folder of a server after the death of this process, where the database's user may not: root's
 * server runs as another user. @returns its orderly end
 */
export function sweepAfterDeath(folder: string): AsyncDisposable {
  const child = spawn('/bin/sh', ['-c', script, 'sweeper', folder], {
    // A process group of its own, so that Ctrl-C does not end it first.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  })
  child.stdin.on('error', () => undefined)
  const exited = once(child, 'exit')
  return {
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      await exited
    },
  }
}
