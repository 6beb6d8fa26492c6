import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/free-port.ts'
import type { Cluster } from '../support/cluster.ts'
import type { Container, Pod, Probe } from './pod-spec.ts'

const svc = fileURLToPath(new URL('../../../src/cli/svc.ts', import.meta.url))
const LOOK_EVERY_MS = 200

/** A pod that runs as a local process. */
export interface LocalPod {
  readonly name: string
  /** `http://127.0.0.1:<port>` of a named port of the pod. */
  url(port: string): string
  /** The present HTTP status of a probe of the pod. */
  probe(which: 'readinessProbe' | 'livenessProbe' | 'startupProbe'): Promise<number>
  readonly output: readonly string[]
}

export interface LocalNode extends AsyncDisposable {
  readonly pods: readonly LocalPod[]
}

/**
 * The node of a namespace whose pods the simulated nodes ignore: runs the command of each pod with its
 * environment and mounted files, probes it, and reports. Two things differ from a real node: mounts are in a
 * temporary folder, and every port is replaced by a free one.
 */
export async function startLocalNode(cluster: Cluster, namespace: string): Promise<LocalNode> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pods-'))
  const running = new Map<string, RunningPod>()
  const stop = new AbortController()
  const look = async () => {
    const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/pods`)
    const items = (body['items'] ?? []) as readonly Pod[]
    for (const pod of items) {
      if (pod.metadata.deletionTimestamp !== undefined)
        await remove(cluster, namespace, pod, running)
      else if (!running.has(pod.metadata.uid) && pod.spec.nodeName !== undefined) {
        running.set(pod.metadata.uid, await run(cluster, namespace, pod, folder))
      }
    }
    for (const pod of running.values()) await pod.report()
  }
  const looking = (async () => {
    while (!stop.signal.aborted) {
      await look().catch((error: unknown) => process.stderr.write(`local node: ${String(error)}\n`))
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  })()
  return {
    get pods() {
      return [...running.values()]
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await looking
      await Promise.all([...running.values()].map((pod) => pod.end('SIGKILL')))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface RunningPod extends LocalPod {
  /** Writes the status of the pod when it has changed. */
  report(): Promise<void>
  end(signal: NodeJS.Signals): Promise<void>
}

async function remove(
  cluster: Cluster,
  namespace: string,
  { metadata }: Pod,
  running: Map<string, RunningPod>,
): Promise<void> {
  await running.get(metadata.uid)?.end('SIGTERM')
  running.delete(metadata.uid)
  const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}?gracePeriodSeconds=0`
  await cluster.request('DELETE', path)
}

async function run(
  cluster: Cluster,
  namespace: string,
  pod: Pod,
  folder: string,
): Promise<RunningPod> {
  const [container] = pod.spec.containers
  const mounted = join(folder, pod.metadata.uid)
  await mountAll(cluster, namespace, pod, mounted)
  const ports = await freePorts(container)
  const env = await environmentOf(cluster, namespace, container, mounted)
  for (const [name, value] of Object.entries(env)) {
    const port = /^((ADMIN|EXPLORER)_)?PORT$/.test(name) ? ports.get(Number(value)) : undefined
    if (port !== undefined) env[name] = String(port)
  }
  const child = spawn(process.execPath, [svc, ...(container.args ?? [])], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return reporting(cluster, namespace, pod, child, ports)
}

function reporting(
  cluster: Cluster,
  namespace: string,
  { metadata, spec }: Pod,
  child: ChildProcess,
  ports: ReadonlyMap<number, number>,
): RunningPod {
  const [container] = spec.containers
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => output.push(text))
  }
  const { promise: exited, resolve } = Promise.withResolvers<number>()
  let code: number | undefined
  child.once('exit', (exitCode) => {
    code = exitCode ?? 1
    resolve(code)
  })
  const url = (port: string | number) => {
    const declared = container.ports?.find(({ name }) => name === port)?.containerPort ?? port
    return `http://127.0.0.1:${ports.get(Number(declared))}`
  }
  const probe = async (what: Probe | undefined) => {
    if (!what) return 0
    const at = `${url(what.httpGet.port)}${what.httpGet.path}`
    return fetch(at, { signal: AbortSignal.timeout(3_000) }).then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.status
      },
      () => 0,
    )
  }
  let reported = ''
  return {
    name: metadata.name,
    url,
    output,
    probe: (which) => probe(container[which]),
    report: async () => {
      const isReady = code === undefined && (await probe(container.readinessProbe)) === 200
      const status = statusOf(container.name, code, isReady)
      if (JSON.stringify(status) === reported) return
      const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}/status`
      const contentType = 'application/strategic-merge-patch+json'
      const answer = await cluster.request('PATCH', path, { body: { status }, contentType })
      if (answer.status === 200) reported = JSON.stringify(status)
    },
    end: async (signal) => {
      if (code === undefined) child.kill(signal)
      await exited
    },
  }
}

function statusOf(name: string, code: number | undefined, isReady: boolean) {
  const phase = code === undefined ? 'Running' : code === 0 ? 'Succeeded' : 'Failed'
  const state =
    code === undefined ? { running: {} } : { terminated: { exitCode: code, reason: 'Ended' } }
  const ready = isReady ? 'True' : 'False'
  return {
    phase,
    conditions: ['Ready', 'ContainersReady', 'Initialized', 'PodScheduled'].map((type) => ({
      type,
      status: type.endsWith('Ready') ? ready : 'True',
    })),
    containerStatuses: [
      { name, ready: isReady, restartCount: 0, image: 'local', imageID: 'local', state },
    ],
  }
}

async function mountAll(
  cluster: Cluster,
  namespace: string,
  { spec }: Pod,
  folder: string,
): Promise<void> {
  for (const { name, mountPath } of spec.containers[0].volumeMounts ?? []) {
    await mkdir(join(folder, mountPath), { recursive: true })
    const projected = spec.volumes?.find((volume) => volume.name === name)?.projected
    for (const { secret } of projected?.sources ?? []) {
      if (!secret) continue
      const path = `/api/v1/namespaces/${namespace}/secrets/${secret.name}`
      const { body } = await cluster.request('GET', path)
      const data: Readonly<Record<string, string>> = Object(body['data'])
      for (const item of secret.items ?? []) {
        const value = Buffer.from(data[item.key] ?? '', 'base64')
        const file = join(folder, mountPath, item.path)
        await writeFile(file, value, { mode: projected?.defaultMode ?? 0o644 })
      }
    }
  }
}

async function environmentOf(
  cluster: Cluster,
  namespace: string,
  { env = [], envFrom = [], volumeMounts = [] }: Container,
  folder: string,
): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for (const { configMapRef } of envFrom) {
    const path = `/api/v1/namespaces/${namespace}/configmaps/${configMapRef?.name}`
    Object.assign(all, Object((await cluster.request('GET', path)).body['data']))
  }
  for (const { name, value = '' } of env) all[name] = value
  for (const [name, value] of Object.entries(all)) {
    const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`))
    if (mount) all[name] = join(folder, value)
  }
  return all
}

async function freePorts({ ports = [] }: Container): Promise<ReadonlyMap<number, number>> {
  const free = new Map<number, number>()
  for (const { containerPort } of ports) free.set(containerPort, await freePort())
  return free
}
