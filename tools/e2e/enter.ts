import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Tool } from '../../test/cluster/support/tools.ts'
import { type NodeWorld, WORLD_VARIABLE } from '../../test/e2e/support/node-world.ts'
import { hintFile } from './keep-hint.ts'
import { namespaces } from './requirements.ts'

interface Entry {
  /** The first process of the world. */
  readonly init: string
  readonly kubectl: Tool
  /** The value of PATH in the world. */
  readonly path: string
  readonly vitest: readonly string[]
}

/**
 * Runs vitest in a new world, and returns its exit code. The world ends with this process: the end of its standard
 * input ends its first process.
 */
export async function enterWorld(world: NodeWorld, entry: Entry): Promise<number> {
  const vitest = [process.execPath, 'node_modules/vitest/vitest.mjs', ...entry.vitest]
  const child = spawn('unshare', [...namespaces, '--kill-child', entry.init, ...vitest], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, PATH: entry.path, [WORLD_VARIABLE]: JSON.stringify(world) },
    stdio: ['pipe', 'inherit', 'inherit'],
    // Ctrl-C reaches this process alone.
    detached: true,
  })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal)
    process.on(signal, () => child.stdin.destroy())
  }
  if (world.keep) writeHint(world, entry, child)
  return ended
}

/** For the end of the tests, when the world stays. */
function writeHint({ folder }: NodeWorld, { path, kubectl }: Entry, { pid }: ChildProcess): void {
  const programs = 'path' in kubectl ? `${dirname(kubectl.path)}:${path}` : path
  const lines = [
    'The world stays until Ctrl-C. To enter it from another terminal, as root:',
    `  nsenter --net --mount --ipc --target ${pid} env PATH=${programs} KUBECONFIG=${folder}/control/pki/admin.kubeconfig bash`,
    'Then kubectl works, `ctr -a /run/n1/containerd.sock -n k8s.io containers ls` lists the containers of n1, and',
    '`nsenter --net=/run/netns/outside COMMAND` is a client outside of the cluster.',
    `Logs of the nodes: ${folder}/logs`,
  ]
  writeFileSync(hintFile(folder), `${lines.join('\n')}\n`)
}
