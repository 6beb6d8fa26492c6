import { API_VERSION, kinds } from '../../../src/kubernetes/crd/names/group.ts'
import {
  facilitatorManifest,
  type Json,
  poolManifest,
} from '../../../test/support/api/manifests.ts'
import type { OwnValues } from '../../try-cluster/samples.ts'
import type { Trial } from '../../try-cluster/trial.ts'
import type { DeploymentClock } from './deployment-clock.ts'

const POOL = 'testnet'
const AT_ONCE = 8

export interface TenantValues extends OwnValues {
  /** More of the Secret with the URL of the database. */
  readonly padding?: string
  /** Empty objects in the spec of one Facilitator more: three characters each, and many times that in memory. */
  readonly emptyObjects?: number
}

/** Creates and edits the bench's objects in the cluster, and reads their status. */
export class BenchWorld {
  readonly #trial: Trial
  readonly #namespace: string
  readonly #own: TenantValues

  constructor(trial: Trial, namespace = trial.namespace, own: TenantValues = trial.own) {
    this.#trial = trial
    this.#namespace = namespace
    this.#own = own
  }

  createNamespace(): Promise<void> {
    const metadata = { name: this.#namespace }
    return this.#demand('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata,
    })
  }

  /** @param isLabelled whether the operator watches them; without the label it has to find their changes otherwise */
  async secrets(isLabelled = true): Promise<void> {
    const { sponsorSecret, databaseUrl, padding } = this.#own
    const labels = isLabelled ? { 'x402.svc.dev/watch': 'true' } : {}
    await this.#secret('testnet-sponsor', labels, { secret: sponsorSecret })
    await this.#secret('x402-database', labels, {
      url: databaseUrl,
      ...(padding !== undefined && { padding }),
    })
  }

  pool(channels: number, spec: Json = {}): Promise<void> {
    const rpc = { urls: [this.#own.rpcUrl] }
    const manifest = poolManifest({ rpc, channels, ...spec }, { name: POOL })
    return this.#create('ChannelPool', { ...manifest })
  }

  /** A Facilitator with as many values as the tenant asks for. */
  async largeFacilitator(): Promise<void> {
    const { emptyObjects = 0 } = this.#own
    if (emptyObjects === 0) return
    const affinity = { values: Array.from({ length: emptyObjects }, () => ({})) }
    const spec = { podTemplate: { spec: { affinity } } }
    await this.#create('Facilitator', { ...facilitatorManifest(spec, { name: 'large' }) })
  }

  /** Creates `count` Facilitators, several at a time, as shop-`from` and so on. */
  async facilitators(count: number, { replicas = 1, from = 0 } = {}): Promise<void> {
    const names = Array.from({ length: count }, (_, index) => `shop-${from + index}`)
    const next = names.values()
    const create = async () => {
      for (const name of next) {
        await this.#create('Facilitator', { ...facilitatorManifest({ replicas }, { name }) })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, create))
  }

  async readyOf(kind: 'ChannelPool' | 'Facilitator'): Promise<number> {
    const { body } = await this.#trial.cluster.request('GET', this.#collection(kind))
    const items = (body['items'] ?? []) as readonly { status?: { conditions?: Json[] } }[]
    return items.filter(({ status }) =>
      status?.conditions?.some((each) => each['type'] === 'Ready' && each['status'] === 'True'),
    ).length
  }

  /** Milliseconds from the answer to an edit of a Facilitator until a watch shows its Deployment patched. */
  async editToPatched(
    name: string,
    rateLimitPerMinute: number,
    deployments: DeploymentClock,
  ): Promise<number> {
    const patched = deployments.next(`${this.#namespace}/${name}-facilitator`)
    await this.#demand('PATCH', `${this.#collection('Facilitator')}/${name}`, {
      spec: { rateLimitPerMinute },
    })
    const answered = performance.now()
    return Math.max(0, (await patched) - answered)
  }

  #collection(kind: 'ChannelPool' | 'Facilitator'): string {
    return `/apis/${API_VERSION}/namespaces/${this.#namespace}/${kinds[kind].plural}`
  }

  #create(kind: 'ChannelPool' | 'Facilitator', body: Json): Promise<void> {
    return this.#demand('POST', this.#collection(kind), body)
  }

  #secret(name: string, labels: Json, stringData: Json): Promise<void> {
    const metadata = { name, labels }
    const body = { apiVersion: 'v1', kind: 'Secret', metadata, stringData }
    return this.#demand('POST', `/api/v1/namespaces/${this.#namespace}/secrets`, body)
  }

  async #demand(method: string, path: string, body: Json): Promise<void> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const answer = await this.#trial.cluster.request(method, path, { body, contentType })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
  }
}
