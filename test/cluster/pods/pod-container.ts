/** What a node prepares before it starts the container of a pod. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import type { Cluster } from '../support/cluster.ts'
import type { Container, Pod } from './pod-spec.ts'

/** A container that a node can start as a local process. */
export interface PreparedContainer {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The free port of this machine in place of each port of the container. */
  readonly ports: ReadonlyMap<number, number>
}

/**
 * Writes what the pod mounts below the folder, and replaces its ports by free ones.
 *
 * @throws Error when a Secret is missing: a kubelet tries again until it is there
 */
export async function prepareContainer(
  cluster: Cluster,
  namespace: string,
  pod: Pod,
  folder: string,
): Promise<PreparedContainer> {
  const [container] = pod.spec.containers
  await mountAll(cluster, namespace, pod, folder)
  const ports = await freePorts(container)
  const env = await environmentOf(cluster, namespace, container, folder)
  for (const [name, value] of Object.entries(env)) {
    const port = /^((ADMIN|EXPLORER)_)?PORT$/.test(name) ? ports.get(Number(value)) : undefined
    if (port !== undefined) env[name] = String(port)
  }
  return { args: container.args ?? [], env, ports }
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
      const { status, body, text } = await cluster.request('GET', path)
      if (status !== 200 && secret.optional !== true) throw new Error(`${path}: ${text}`)
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
