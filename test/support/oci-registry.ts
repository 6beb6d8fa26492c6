/** A registry in memory, on a free port of this machine, without a certificate. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface OciRegistry extends AsyncDisposable {
  /** As in `127.0.0.1:5000`. */
  readonly address: string
}

/** @throws Error when the program ends before it serves */
export async function startRegistry(crane: string): Promise<OciRegistry> {
  const server = spawn(crane, ['registry', 'serve', '--address', '127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    return {
      address: `127.0.0.1:${await portOf(server)}`,
      [Symbol.asyncDispose]: () => stop(server),
    }
  } catch (error) {
    await stop(server)
    throw error
  }
}

/** Also reads the log to its end, since a full pipe would stop the server. */
function portOf(server: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  server.once('error', reject)
  server.once('exit', () => reject(new Error('the registry ended before it served')))
  if (server.stderr) {
    createInterface(server.stderr).on('line', (line) => {
      const [, port] = /serving on port (\d+)$/.exec(line) ?? []
      if (port !== undefined) resolve(port)
    })
  }
  return promise
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill('SIGKILL')
  await exited
}
