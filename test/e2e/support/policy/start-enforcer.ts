import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Applied } from './enforcer.ts'

export interface EnforcerParts {
  readonly kubeconfigPath: string
  /** The folder with the network plugins of the container runtime. */
  readonly cniPlugins: string
  /** The configuration lists (`.conflist`) of every node's network; the enforcer's plugin comes last in each. */
  readonly networkFiles: readonly string[]
  /** Of all nodes. */
  readonly podNetwork: string
  /** For the socket. */
  readonly folder: string
}

/** Network policies in force. */
export interface Enforcement {
  readonly applied: () => Promise<Applied>
  /** Waits until the rules are made of these. Resource versions by namespace/name. */
  readonly holds: (policies: Readonly<Record<string, string | undefined>>) => Promise<void>
  /** Networks that no `ipBlock` matches, as those of pods and nodes with Cilium. */
  readonly leaveOut: (networks: readonly string[]) => Promise<void>
}

const PLUGIN = 'svc-policy'
const HERE = import.meta.dirname

/**
 * Starts the enforcer in the network namespace of this process. Pods that run already are covered when it resolves, and
 * each later one before its containers start.
 */
export async function startEnforcer(parts: EnforcerParts): Promise<Enforcement & AsyncDisposable> {
  const socket = socketIn(parts.folder)
  rmSync(socket, { force: true })
  const process_ = spawn(
    process.execPath,
    [
      join(HERE, 'run-enforcer.ts'),
      ...['--kubeconfig', parts.kubeconfigPath, '--socket', socket],
      ...['--pod-network', parts.podNetwork],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const errors = text(process_.stderr)
  const ended = once(process_, 'exit').then(async (): Promise<never> => {
    throw new Error(`The policy enforcer ended: ${await errors}`)
  })
  ended.catch(() => undefined)
  const enforcement = connectEnforcer(parts)
  // It has not begun to listen, or it holds the pods.
  await Promise.race([enforcement.holds({}), ended])
  const withdraw = chainPlugin(parts, socket)
  return {
    ...enforcement,
    [Symbol.asyncDispose]: async () => {
      withdraw()
      process_.kill('SIGTERM')
      await ended.catch(() => undefined)
    },
  }
}

/** Uses an enforcer that runs, or is about to. */
export function connectEnforcer({ folder }: Pick<EnforcerParts, 'folder'>): Enforcement {
  const socket = socketIn(folder)
  const applied = () => ask<Applied>(socket, 'GET', '/applied')
  return {
    applied,
    holds: async (policies) => {
      for (;;) {
        const state = await applied().catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') return undefined
          throw error
        })
        const isHeld = Object.entries(policies).every(
          ([key, version]) => state?.policies?.[key] === version,
        )
        if (state?.pods !== undefined && isHeld) return
        await sleep(50)
      }
    },
    leaveOut: (networks) => ask(socket, 'PUT', '/outside-of-blocks', networks),
  }
}

const socketIn = (folder: string): string => join(folder, 'policy-enforcer.sock')

/** Installs the plugin, and appends it to each configuration list. Returns what undoes the latter. */
function chainPlugin({ cniPlugins, networkFiles }: EnforcerParts, socket: string): () => void {
  const program = join(cniPlugins, PLUGIN)
  const command = `exec '${process.execPath}' '${join(HERE, 'cni-plugin.ts')}'`
  writeFileSync(program, `#!/bin/sh\n${command}\n`)
  chmodSync(program, 0o755)
  const before = networkFiles.map((file) => ({ file, content: readFileSync(file, 'utf8') }))
  for (const { file, content } of before) {
    const list: { plugins: readonly object[] } = JSON.parse(content)
    const plugins = [...list.plugins, { type: PLUGIN, socket }]
    writeFileSync(file, JSON.stringify({ ...list, plugins }))
  }
  return () => {
    for (const { file, content } of before) writeFileSync(file, content)
  }
}

async function ask<T>(
  socketPath: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const request = http.request({ socketPath, method, path }, async (response) => {
    const answer = await text(response)
    if (response.statusCode === 200) resolve(JSON.parse(answer) as T)
    else reject(new Error(answer))
  })
  request.once('error', reject)
  request.end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}
