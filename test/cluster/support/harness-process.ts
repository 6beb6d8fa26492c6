import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'

/** What the harness prints when the cluster can be used; see test/cluster/harness/up.go. */
export interface HarnessReady {
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
  /** Ends it and everything it started, and removes its data; may be called again. */
  stop(): Promise<void>
}

/**
 * The harness ends when its standard input does, which the kernel sees to however this process
 * ends. Its components end with it.
 */
export async function runHarness(binary: string): Promise<RunningHarness> {
  const child = spawn(binary, ['up', '--while-stdin-open'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C reaches this process, which then stops the cluster; not both at once.
    detached: true,
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const ready = await firstLine(child)
  const stop = async () => {
    child.stdin.destroy()
    await ended
    // It does so itself, unless it was killed.
    await rm(ready.dir, { recursive: true, force: true })
  }
  return { ready, pid: child.pid ?? 0, stop }
}

function firstLine(child: ChildProcess): Promise<HarnessReady> {
  return new Promise((resolve, reject) => {
    let complaint = ''
    child.stderr?.on('data', (part) => {
      complaint += part
    })
    child.once('error', reject)
    child.once('close', (code) => {
      reject(new Error(`the test cluster ended with code ${code}: ${complaint}`))
    })
    if (child.stdout) {
      createInterface(child.stdout).once('line', (line) => resolve(JSON.parse(line)))
    }
  })
}
