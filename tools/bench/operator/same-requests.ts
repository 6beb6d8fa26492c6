import { fieldManagers } from '../../../src/kubernetes/crd/names/marks.ts'
import { createInformer, type Informer } from '../../../src/kubernetes/runtime/cache/informer.ts'
import type { KubeClient } from '../../../src/kubernetes/runtime/client/client.ts'
import type { KubeObject, ResourceType } from '../../../src/kubernetes/runtime/objects/resource.ts'
import {
  type AnyObject,
  type ConfigMap,
  wellKnown,
} from '../../../src/kubernetes/runtime/objects/well-known.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { clientFor } from '../../../test/cluster/kubernetes/runtime/support/client-for.ts'

const NAME = 'same-requests'
const LABEL = 'bench'

/**
 * Makes the requests that an edit of a Facilitator costs, as the operator makes them but without its work: a watch shows the edit, a
 * ConfigMap and a Deployment of the same content are applied, and a watch shows the Deployment. What this takes is the API
 * server's time, and that of a client in Node, under the load of the moment.
 */
export class SameRequests implements AsyncDisposable {
  readonly #client: KubeClient
  readonly #namespace: string
  readonly #template: Promise<{ readonly configMap: ConfigMap; readonly deployment: AnyObject }>
  readonly #edits: Informer<ConfigMap>
  readonly #deployments: Informer<AnyObject>
  readonly #ended = new AbortController()
  readonly #running: readonly Promise<void>[]
  #onEdit: () => void = () => undefined
  #onDeployment: () => void = () => undefined
  #round = 0

  /** @param facilitator whose ConfigMap and Deployment have the content */
  constructor(kubeconfig: string, namespace: string, facilitator: string) {
    this.#client = clientFor(kubeconfig, NAME)
    this.#namespace = namespace
    this.#template = this.#find(facilitator)
    this.#edits = this.#watch<ConfigMap>(wellKnown.configMap)
    this.#deployments = this.#watch(wellKnown.deployment)
    this.#edits.onChange(({ object }) => object.metadata.name === NAME && this.#onEdit())
    this.#deployments.onChange(({ object, previous }) => {
      if (object.metadata.generation !== previous?.metadata.generation) this.#onDeployment()
    })
    this.#running = [this.#edits, this.#deployments].map((each) => each.run(this.#ended.signal))
  }

  /** Resolves when both watches are open. */
  async ready(): Promise<void> {
    await Promise.all([this.#edits.synced, this.#deployments.synced])
    await this.#template
    await this.#apply(wellKnown.configMap, NAME, { data: { edit: '0' } })
  }

  /** Milliseconds from the answer to an edit until a watch shows the Deployment. */
  async measure(): Promise<number> {
    this.#round += 1
    const { configMap, deployment } = await this.#template
    const name = `${NAME}-${this.#round}`
    const edited = new Promise<void>((resolve) => (this.#onEdit = resolve))
    const patched = new Promise<number>((resolve) => {
      this.#onDeployment = () => resolve(performance.now())
    })
    const applied = edited.then(async () => {
      await this.#apply(wellKnown.configMap, name, { data: configMap.data })
      await this.#apply(wellKnown.deployment, NAME, specOf(deployment, name))
    })
    const data = { edit: String(this.#round) }
    await this.#client.patch(wellKnown.configMap, this.#at(NAME), { data })
    const answered = performance.now()
    await applied
    return Math.max(0, (await patched) - answered)
  }

  #at = (name: string) => ({ namespace: this.#namespace, name })

  #apply<T extends KubeObject>(type: ResourceType<T>, name: string, content: object) {
    const apiVersion = type.group ? `${type.group}/${type.version}` : type.version
    const metadata = { ...this.#at(name), labels: { [LABEL]: NAME } }
    return this.#client.apply(type, { apiVersion, kind: type.kind, metadata, ...content })
  }

  #watch<T extends KubeObject>(type: ResourceType<T>): Informer<T> {
    return createInformer<T>({
      client: this.#client,
      type,
      namespaces: [this.#namespace],
      labelSelector: `${LABEL}=${NAME}`,
      clock: systemClock,
      random: Math.random,
      logger: createLogger({ level: 'silent' }),
    })
  }

  async #find(facilitator: string) {
    const where = {
      namespace: this.#namespace,
      labelSelector: `x402.svc.dev/facilitator=${facilitator}`,
    }
    const { items: configMaps } = await this.#client.list<ConfigMap>(wellKnown.configMap, where)
    const { items: deployments } = await this.#client.list(wellKnown.deployment, where)
    const [configMap] = configMaps
    const [deployment] = deployments as readonly AnyObject[]
    if (!configMap || !deployment) throw new Error(`${fieldManagers.children} made none`)
    return { configMap, deployment }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort()
    await Promise.all(this.#running)
  }
}

/** Without pods: those of the Facilitators are load enough. */
function specOf({ spec = {} }: AnyObject, configMap: string): object {
  const { metadata, spec: pod } = Object(spec['template'])
  const labels = { [LABEL]: NAME }
  const annotations = { ...metadata.annotations, configMap }
  const template = { metadata: { labels, annotations }, spec: pod }
  return { spec: { ...spec, replicas: 0, selector: { matchLabels: labels }, template } }
}
