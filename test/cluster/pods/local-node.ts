import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../support/cluster.ts'
import { prepareContainer } from './pod-container.ts'
import { PodProcess } from './pod-process.ts'
import type { Pod } from './pod-spec.ts'

const LOOK_EVERY_MS = 200

export interface LocalNode extends AsyncDisposable {
  /** Those that run, or are being ended. */
  readonly pods: readonly PodProcess[]
}

/**
 * The node of a namespace whose pods the simulated nodes ignore: runs the command of each pod with its
 * environment and mounted files, probes it, reports, starts again what dies, and ends what is deleted. Three things differ
 * from a real node: mounts are in a temporary folder, every port is replaced by a free one, and a probe's result counts at
 * once.
 */
export async function startLocalNode(cluster: Cluster, namespace: string): Promise<LocalNode> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pods-'))
  const node = new Node(cluster, namespace, folder)
  const stop = new AbortController()
  const looking = (async () => {
    while (!stop.signal.aborted) {
      await node.look().catch(complain)
      await sleep(LOOK_EVERY_MS)
    }
  })()
  return {
    get pods() {
      return node.pods
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await looking
      await Promise.all(node.pods.map((pod) => pod.destroy()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const complain = (error: unknown) => process.stderr.write(`local node: ${String(error)}\n`)

interface Known {
  readonly process: PodProcess
  /** The last status that the API server has taken. */
  reported: string
  isEnding: boolean
}

class Node {
  readonly #cluster: Cluster
  readonly #namespace: string
  readonly #folder: string
  readonly #known = new Map<string, Known>()

  constructor(cluster: Cluster, namespace: string, folder: string) {
    this.#cluster = cluster
    this.#namespace = namespace
    this.#folder = folder
  }

  get pods(): readonly PodProcess[] {
    return [...this.#known.values()].map(({ process }) => process)
  }

  /** Starts, ends and reports what the API server has at this moment. */
  async look(): Promise<void> {
    const { body } = await this.#cluster.request('GET', this.#path(''))
    const items = (body['items'] ?? []) as readonly Pod[]
    await Promise.all(items.map((pod) => this.#sync(pod).catch(complain)))
  }

  async #sync(pod: Pod): Promise<void> {
    const { uid, deletionTimestamp } = pod.metadata
    const known = this.#known.get(uid)
    if (deletionTimestamp !== undefined) {
      if (known?.isEnding) return
      if (known) known.isEnding = true
      // It takes seconds, in which other pods go on.
      void this.#end(pod, known).catch(complain)
    } else if (known) {
      await this.#report(pod, known)
    } else if (pod.spec.nodeName !== undefined) {
      const folder = join(this.#folder, uid)
      const prepared = await prepareContainer(this.#cluster, this.#namespace, pod, folder)
      this.#known.set(uid, {
        process: new PodProcess(pod, prepared),
        reported: '',
        isEnding: false,
      })
    }
  }

  async #report({ metadata }: Pod, known: Known): Promise<void> {
    const status = await known.process.status()
    const text = JSON.stringify(status)
    if (text === known.reported) return
    const contentType = 'application/strategic-merge-patch+json'
    const path = this.#path(`/${metadata.name}/status`)
    const answer = await this.#cluster.request('PATCH', path, { body: { status }, contentType })
    if (answer.status === 200) known.reported = text
  }

  async #end({ metadata }: Pod, known: Known | undefined): Promise<void> {
    await known?.process.terminate()
    this.#known.delete(metadata.uid)
    const path = this.#path(`/${metadata.name}?gracePeriodSeconds=0`)
    const preconditions = { uid: metadata.uid }
    await this.#cluster.request('DELETE', path, { body: { preconditions } })
  }

  #path(rest: string): string {
    return `/api/v1/namespaces/${this.#namespace}/pods${rest}`
  }
}
