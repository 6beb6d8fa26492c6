import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** The harness prints this when the cluster is ready; see test/cluster/harness/up.go. */
interface HarnessReady {
  readonly kubeconfig: string
  readonly server: string
  readonly caFile: string
  readonly token: string
  readonly dir: string
  readonly readyAfterMs: number
}

export interface RunningHarness {
  readonly ready: HarnessReady
  readonly pid: number
  /** Stops the cluster and removes its data. May be called again. */
  stop(): Promise<void>
  /** Lets this process end while the cluster runs, which ends the cluster. */
  unref(): void
}

/**
 * The harness and its components end when its standard input closes, which the kernel does however this
 * process ends.
 * @param flags of `cluster-harness up`
 */
export async function runHarness(
  binary: string,
  flags: readonly string[] = [],
): Promise<RunningHarness> {
  const child = spawn(binary, ['up', '--while-stdin-open', ...flags], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C reaches this process, which then stops the cluster; not both at once.
    detached: true,
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const ready = await firstLine(child)
  const stop = async () => {
    child.stdin.destroy()
    await ended
    // The harness removes it, unless it was killed.
    await rm(ready.dir, { recursive: true, force: true })
  }
  const unref = () => {
    child.unref()
    for (const pipe of child.stdio) if (pipe instanceof Socket) pipe.unref()
  }
  return { ready, pid: child.pid ?? 0, stop, unref }
}

function firstLine(child: ChildProcess): Promise<HarnessReady> {
  return new Promise((resolve, reject) => {
    let errors = ''
    child.stderr?.on('data', (part) => {
      errors += part
    })
    child.once('error', reject)
    child.once('close', (code) => {
      reject(new Error(`the test cluster ended with code ${code}: ${errors}`))
    })
    if (child.stdout) {
      createInterface(child.stdout).once('line', (line) => resolve(JSON.parse(line)))
    }
  })
}
