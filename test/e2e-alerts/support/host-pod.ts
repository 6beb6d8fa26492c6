/**
 * Runs the container of a pod on this machine: `svc` with the arguments, the environment and the Secrets of the
 * Deployment that the operator created. One that ends by itself is started again, as a kubelet does. Ports are free ones of
 * the loopback interface.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Cluster } from '../../cluster/support/cluster.ts'
import { type Ran, run } from '../../component/commands/admin-world.ts'
import { freePort } from '../../support/free-port.ts'

const svc = fileURLToPath(new URL('../../../src/commands/svc.ts', import.meta.url))
/** Longer than a machine that is busy with other work needs. */
const STARTS_WITHIN_MS = 180_000
const RESTART_AFTER_MS = 1_000

type Environment = Readonly<Record<string, string>>

export interface HostPod extends AsyncDisposable {
  /** Of the admin port, the same after each start. */
  readonly adminAddress: string
  /** Of payments, the catalog or the explorer, the same after each start. */
  readonly url: string
  /** Every line that it logged. */
  readonly log: readonly string[]
  /** Resolves once the process serves. */
  start(): Promise<void>
  /** SIGTERM, or SIGKILL; resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** As `kubectl exec ... -- svc ARGS` in this pod. */
  exec(...args: string[]): Promise<Ran>
}

export interface HostPodOptions {
  readonly cluster: Cluster
  readonly namespace: string
  readonly deployment: string
  /** Variables in place of those of the Deployment. */
  readonly changes: Environment
}

export async function openHostPod(options: HostPodOptions): Promise<HostPod> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-host-pod-'))
  const { command, environment } = await containerOf(options, folder)
  const [port, adminPort] = [await freePort(), await freePort()]
  const own = {
    ...environment,
    ...options.changes,
    PATH: process.env['PATH'] ?? '',
    HOST: '127.0.0.1',
    ADMIN_PORT: String(adminPort),
    [command === 'explorer' ? 'EXPLORER_PORT' : 'PORT']: String(port),
  }
  const log: string[] = []
  let child: ChildProcess | undefined
  let isWanted = false
  const adminAddress = `127.0.0.1:${adminPort}`
  const launch = () => {
    if (!isWanted) return
    const launched = spawn(process.execPath, [svc, command], {
      env: own,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    createInterface(launched.stdout).on('line', (line) => log.push(line))
    launched.once('exit', () =>
      setTimeout(() => {
        if (child === launched) launch()
      }, RESTART_AFTER_MS),
    )
    child = launched
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    isWanted = false
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  return {
    adminAddress,
    url: `http://127.0.0.1:${port}`,
    log,
    start: async () => {
      isWanted = true
      launch()
      await untilAnswers(`http://${adminAddress}/livez`, log)
    },
    stop,
    exec: (...args) => run(own, ...args),
    [Symbol.asyncDispose]: async () => {
      await stop('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The Secrets become files below the folder, and the variables that name them point there. */
async function containerOf(options: HostPodOptions, folder: string) {
  const { cluster, namespace, deployment } = options
  const read = async (path: string) => {
    const { status, body, text } = await cluster.request('GET', path)
    if (status !== 200) throw new Error(`${path}: ${text}`)
    return Object(body)
  }
  const inNamespace = `/api/v1/namespaces/${namespace}`
  const { spec } = await read(`/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}`)
  const { containers, volumes } = spec.template.spec
  const [{ args, env = [], envFrom = [] }] = containers
  const environment: Record<string, string> = {}
  for (const { configMapRef } of envFrom) {
    Object.assign(environment, (await read(`${inNamespace}/configmaps/${configMapRef.name}`)).data)
  }
  for (const { name, value } of env) environment[name] = value
  await mkdir(folder, { recursive: true })
  const { projected } = volumes.find(({ name }: { name: string }) => name === 'secrets')
  for (const { secret } of projected.sources) {
    const { data } = await read(`${inNamespace}/secrets/${secret.name}`)
    for (const { key, path } of secret.items) {
      await writeFile(join(folder, path), Buffer.from(data[key], 'base64'), { mode: 0o600 })
    }
  }
  for (const [name, value] of Object.entries(environment)) {
    if (name.endsWith('_FILE')) environment[name] = join(folder, basename(value))
  }
  const [command = ''] = args as string[]
  return { command, environment }
}

async function untilAnswers(url: string, log: readonly string[]): Promise<void> {
  const deadline = performance.now() + STARTS_WITHIN_MS
  for (;;) {
    if (await fetch(url).catch(() => undefined)) return
    if (performance.now() > deadline) {
      throw new Error(`${url} does not answer:\n${log.slice(-20).join('\n')}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
