/** What the fears do to the pods of the world, from the nodes that the tests run on. */
import { readdir, readFile } from 'node:fs/promises'
import { vi } from 'vitest'
import type { World } from '../support/world.ts'
import { names } from '../support/world-places.ts'

export const facilitatorPods = `app.kubernetes.io/component=facilitator`

export interface Pod {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly deletionTimestamp?: string
  }
  readonly status: {
    readonly containerStatuses?: readonly Container[]
  }
}

interface Container {
  readonly restartCount: number
  readonly ready: boolean
  readonly lastState: {
    readonly terminated?: { readonly reason: string; readonly exitCode: number }
  }
}

/** Those that are not about to end, oldest name first. */
export async function podsOf(world: World, namespace: string, selector: string): Promise<Pod[]> {
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(selector)}`
  const { body } = await world.cluster.request('GET', path)
  const pods = body['items'] as Pod[]
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
}

/**
 * How many facilitator pods the shop has. Undefined while one is not ready, or still ends. A test that waits asks often,
 * and a kubectl for each question would take the processor from the payments.
 */
export async function steadyPods(world: World): Promise<number | undefined> {
  const path = `/api/v1/namespaces/${world.shop}/pods?labelSelector=${encodeURIComponent(facilitatorPods)}`
  const { body } = await world.cluster.request('GET', path)
  const pods = body['items'] as Pod[]
  const isSteady = pods.every(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      status.containerStatuses?.every(({ ready }) => ready) === true,
  )
  return isSteady ? pods.length : undefined
}

/** Facilitator pods by name. */
export async function podNames(world: World): Promise<readonly string[]> {
  const pods = await podsOf(world, world.shop, facilitatorPods)
  return pods.map(({ metadata }) => metadata.name).sort()
}

export async function firstPod(world: World, namespace: string, selector: string): Promise<Pod> {
  const [pod] = await podsOf(world, namespace, selector)
  if (pod === undefined) throw new Error(`${namespace} has no pod with ${selector}`)
  return pod
}

/**
 * The processes of a pod's containers on its node, parents first; the pause container is left out. Test and
 * containers share the node's process ids.
 */
export async function processesOf({ metadata: { uid } }: Pod): Promise<readonly number[]> {
  const names = [uid, uid.replaceAll('-', '_')]
  const found: number[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const cgroup = await readFile(`/proc/${entry}/cgroup`, 'utf8').catch(() => '')
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')
    if (!names.some((name) => cgroup.includes(name)) || /^[/\w]*pause\0/.test(command)) continue
    found.push(Number(entry))
  }
  if (found.length === 0) throw new Error(`no process of the pod ${uid} runs on this node`)
  return found.sort((one, other) => one - other)
}

export async function signalPod(
  pod: Pod,
  signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT',
): Promise<void> {
  for (const pid of await processesOf(pod)) process.kill(pid, signal)
}

/** Resolves once the condition holds; the cluster is asked every quarter of a second. */
export const until = (holds: () => Promise<boolean>): Promise<void> =>
  vi.waitUntil(holds, { timeout: 150_000, interval: 250 }).then(() => undefined)

/** Of the only container of a pod of the shop. */
export async function containerOf(world: World, name: string): Promise<Container | undefined> {
  const { body } = await world.cluster.request(
    'GET',
    `/api/v1/namespaces/${world.shop}/pods/${name}`,
  )
  return (Object(body) as Pod).status.containerStatuses?.[0]
}

/** Changes the Facilitator with a merge patch. */
export async function patchFacilitator(world: World, change: object): Promise<void> {
  const patch = JSON.stringify(change)
  await world.cluster.kubectl([
    '-n',
    world.shop,
    'patch',
    'facilitator',
    names.facilitator,
    '--type=merge',
    '-p',
    patch,
  ])
}

/** Creates a Secret of the shop, or changes it. */
export async function changedSecret(
  world: World,
  name: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const metadata = { name, namespace: world.shop }
  await world.apply([{ apiVersion: 'v1', kind: 'Secret', metadata, stringData: values }])
}

/** Runs the change, and resolves when pods other than those before it serve and nothing is in progress. */
export async function replacingPods(world: World, change: () => Promise<void>): Promise<number> {
  const before = await podNames(world)
  await change()
  await until(async () => {
    const now = await podNames(world)
    return now.length === before.length && !now.some((name) => before.includes(name))
  })
  await world.ready()
  return before.length
}
