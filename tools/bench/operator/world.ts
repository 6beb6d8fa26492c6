import { API_VERSION, kinds } from '../../../src/api/group.ts'
import {
  facilitatorManifest,
  type Json,
  poolManifest,
} from '../../../test/support/api/manifests.ts'
import type { Trial } from '../../try-cluster/trial.ts'

const POOL = 'testnet'
const AT_ONCE = 8

/** Creates and edits the bench's objects in the cluster, and reads their status. */
export class BenchWorld {
  readonly #trial: Trial

  constructor(trial: Trial) {
    this.#trial = trial
  }

  async secrets(): Promise<void> {
    const { sponsorSecret, databaseUrl } = this.#trial.own
    await this.#secret('testnet-sponsor', { secret: sponsorSecret })
    await this.#secret('x402-database', { url: databaseUrl })
  }

  pool(channels: number): Promise<void> {
    const rpc = { urls: [this.#trial.own.rpcUrl] }
    return this.#create('ChannelPool', { ...poolManifest({ rpc, channels }, { name: POOL }) })
  }

  /** Creates `count` Facilitators of one pod each, several at a time. */
  async facilitators(count: number): Promise<void> {
    const names = Array.from({ length: count }, (_, index) => `shop-${index}`)
    const next = names.values()
    const create = async () => {
      for (const name of next) {
        await this.#create('Facilitator', { ...facilitatorManifest({ replicas: 1 }, { name }) })
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

  /** Milliseconds from the answer to an edit of a Facilitator until its Deployment is patched. */
  async editToPatched(name: string, rateLimitPerMinute: number): Promise<number> {
    const before = await this.#generation(name)
    await this.#demand('PATCH', `${this.#collection('Facilitator')}/${name}`, {
      spec: { rateLimitPerMinute },
    })
    const from = performance.now()
    while ((await this.#generation(name)) === before) {
      if (performance.now() - from > 30_000) throw new Error(`${name} was not patched in 30 s`)
    }
    return performance.now() - from
  }

  async #generation(name: string): Promise<number> {
    const path = `/apis/apps/v1/namespaces/${this.#trial.namespace}/deployments/${name}-facilitator`
    const { body } = await this.#trial.cluster.request('GET', path)
    return Number(Object(body['metadata']).generation)
  }

  #collection(kind: 'ChannelPool' | 'Facilitator'): string {
    return `/apis/${API_VERSION}/namespaces/${this.#trial.namespace}/${kinds[kind].plural}`
  }

  #create(kind: 'ChannelPool' | 'Facilitator', body: Json): Promise<void> {
    return this.#demand('POST', this.#collection(kind), body)
  }

  #secret(name: string, stringData: Json): Promise<void> {
    const metadata = { name, labels: { 'x402.svc.dev/watch': 'true' } }
    const body = { apiVersion: 'v1', kind: 'Secret', metadata, stringData }
    return this.#demand('POST', `/api/v1/namespaces/${this.#trial.namespace}/secrets`, body)
  }

  async #demand(method: string, path: string, body: Json): Promise<void> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const answer = await this.#trial.cluster.request(method, path, { body, contentType })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
  }
}
