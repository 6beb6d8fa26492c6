import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { DesiredObject } from '../../../src/kubernetes/runtime/objects/resource.ts'
import { keyOf } from '../../../src/kubernetes/runtime/objects/resource.ts'
import type { Cluster } from '../../cluster/support/cluster.ts'
import { netnsByAddress, type Outcome, Prober, type Target } from '../support/policy/probers.ts'
import type { Enforcement } from '../support/policy/start-enforcer.ts'
import {
  type Actor,
  type ActorName,
  machinePorts,
  machines,
  nodePorts,
  type PodName,
  pods,
  services,
} from './actors.ts'
import type { RenderedFacilitator } from './rendered.ts'

const run = promisify(execFile)

const OUTSIDE = 'outside'

export interface StageParts {
  readonly cluster: Pick<Cluster, 'kubectl'>
  readonly enforcement: Enforcement
  readonly rendered: RenderedFacilitator
  readonly operatorLabels: Readonly<Record<string, string>>
}

/** The actors, with a prober each. */
export class Stage implements AsyncDisposable {
  readonly #parts: StageParts
  readonly #probers = new Map<ActorName, Prober>()
  readonly #addresses = new Map<PodName, string>()

  private constructor(parts: StageParts) {
    this.#parts = parts
  }

  /** Every Service reaches its pod when it resolves; no policy is in force. */
  static async open(parts: StageParts): Promise<Stage> {
    const stage = new Stage(parts)
    await stage.#createObjects()
    await stage.#startProbers()
    await stage.#untilServed()
    return stage
  }

  /** Replaces the policies in one namespace, and waits until they are in force. */
  async enforce(policies: readonly DesiredObject[], namespace: string): Promise<void> {
    const { cluster, enforcement } = this.#parts
    await cluster.kubectl(['delete', 'networkpolicy', '--all', '-n', namespace])
    await this.apply(policies)
    const args = ['get', 'networkpolicy', '-n', namespace, '-o', 'json']
    const { items }: { items: DesiredObject[] } = JSON.parse(await cluster.kubectl(args))
    await enforcement.holds(
      Object.fromEntries(
        items.map(({ metadata }) => [keyOf(metadata), Object(metadata).resourceVersion]),
      ),
    )
  }

  async apply(objects: readonly object[]): Promise<string> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects }
    const args = ['apply', '-o', 'json', '-f', '-']
    return this.#parts.cluster.kubectl(args, { input: JSON.stringify(list) })
  }

  addressOf(name: PodName): string {
    const address = this.#addresses.get(name)
    if (address === undefined) throw new Error(`The pod ${name} has no address.`)
    return address
  }

  /** The ClusterIP and the NodePorts of a Service. */
  async service(namespace: string, name: string) {
    const args = ['get', 'service', name, '-n', namespace, '-o', 'json']
    const { spec } = JSON.parse(await this.#parts.cluster.kubectl(args))
    return spec as { clusterIP: string; ports: { port: number; nodePort?: number }[] }
  }

  /** Of a Service that leads to the facilitator pod. */
  async nodePort(policy: 'Local' | 'Cluster'): Promise<number> {
    const { namespace } = pods.facilitator
    const name = `entry-${policy.toLowerCase()}`
    const spec = {
      type: 'NodePort',
      externalTrafficPolicy: policy,
      publishNotReadyAddresses: true,
      selector: this.#parts.rendered.labels['facilitator'],
      ports: [{ port: 80, targetPort: 'http' }],
    }
    await this.apply([{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec }])
    const { clusterIP, ports } = await this.service(namespace, name)
    await this.#untilReached({ host: clusterIP, port: 80, greets: true })
    return ports[0]?.nodePort ?? 0
  }

  try(actor: ActorName, target: Target): Promise<Outcome> {
    const from = machines[actor as keyof typeof machines]
    const prober = this.#probers.get(actor)
    if (!prober) throw new Error(`There is no prober for ${actor}.`)
    return prober.try({ ...target, ...(from !== undefined && { from }) })
  }

  /** All at once, as text: the name of who answered, or why nobody did. */
  async tryAll(
    actors: readonly ActorName[],
    target: Target,
  ): Promise<Readonly<Record<string, string>>> {
    const entries = actors.map(async (actor) => [actor, textOf(await this.try(actor, target))])
    return Object.fromEntries(await Promise.all(entries))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const prober of new Set(this.#probers.values())) prober[Symbol.dispose]()
    const names = [...new Set(Object.values(pods).map(({ namespace }) => namespace))]
    await this.#parts.cluster.kubectl(['delete', 'namespace', '--wait=false', ...names])
  }

  async #createObjects(): Promise<void> {
    const { rendered, operatorLabels, cluster } = this.#parts
    const actors = Object.entries<Actor>(pods)
    const namespaces = new Set(actors.map(([, { namespace }]) => namespace))
    await this.apply([...namespaces].map(namespaceNamed))
    await Promise.all(
      [...namespaces].map((name) =>
        cluster.kubectl(['wait', '--for=create', 'serviceaccount/default', '-n', name]),
      ),
    )
    await this.apply([
      ...actors.map(([name, actor]) => {
        const labels = name === 'operator' ? operatorLabels : rendered.labels[name]
        return podOf(name, actor, labels ?? actor.labels ?? {})
      }),
      ...rendered.services.map((object) => ({
        ...object,
        spec: { ...Object(object['spec']), publishNotReadyAddresses: true },
      })),
      ...Object.entries(services).map(([name, [port, target]]) => serviceOf(name, port, target)),
    ])
  }

  async #startProbers(): Promise<void> {
    const { enforcement } = this.#parts
    for (const address of Object.values(machines)) {
      const add = ['-n', OUTSIDE, 'address', 'replace', `${address}/32`, 'dev', 'lo']
      await run('ip', add)
    }
    const actors = Object.entries(pods) as [PodName, Actor][]
    for (;;) {
      const applied = await enforcement.applied()
      for (const [name, { namespace }] of actors) {
        const address = applied.pods[`${namespace}/${name}`]
        if (address !== undefined) this.#addresses.set(name, address)
      }
      if (this.#addresses.size === actors.length) break
      await sleep(50)
    }
    const netns = await netnsByAddress()
    for (const [name, { ports }] of actors) {
      const file = netns.get(this.addressOf(name))
      if (file === undefined) throw new Error(`The pod ${name} has no network namespace.`)
      this.#probers.set(name, new Prober(name, file, ports))
    }
    const outside = new Prober(OUTSIDE, OUTSIDE, machinePorts, Object.values(machines))
    for (const name of Object.keys(machines)) this.#probers.set(name as ActorName, outside)
    this.#probers.set('node', new Prober('node', undefined, nodePorts))
    await Promise.all([...this.#probers.values()].map(({ ready }) => ready))
  }

  /** kube-proxy brings a Service into force some time after its pods have addresses. */
  async #untilServed(): Promise<void> {
    const own = this.#parts.rendered.services.map(({ metadata: { name } }) => ({
      namespace: pods.facilitator.namespace,
      name,
    }))
    const others = Object.keys(services).map((name) => ({
      namespace: pods.postgres.namespace,
      name,
    }))
    for (const { namespace, name } of [...own, ...others]) {
      const { clusterIP, ports } = await this.service(namespace, name)
      const port = ports[0]?.port ?? 0
      await this.#untilReached({ host: clusterIP, port, greets: true })
    }
  }

  async #untilReached(target: Target): Promise<void> {
    while ((await this.try('node', target)).kind !== 'reached') await sleep(50)
  }
}

const textOf = (outcome: Outcome): string =>
  outcome.kind === 'reached'
    ? `reached ${outcome.by}`.trim()
    : outcome.kind === 'refused'
      ? 'refused'
      : outcome.message

const namespaceNamed = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
})

/** Its container only keeps the network namespace; the prober listens. */
const podOf = (name: string, { namespace }: Actor, labels: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels },
  spec: {
    nodeName: 'n1',
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'main',
        image: 'localhost/pause:1',
        imagePullPolicy: 'Never',
        ports: [
          { name: 'http', containerPort: 8_080 },
          { name: 'admin', containerPort: 9_090 },
        ],
      },
    ],
  },
})

const serviceOf = (name: string, port: number, targetPort: number) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: pods.postgres.namespace },
  spec: {
    selector: { app: name },
    publishNotReadyAddresses: true,
    ports: ['TCP', 'UDP'].map((protocol) => ({
      name: protocol.toLowerCase(),
      port,
      targetPort,
      protocol,
    })),
  },
})
