import { vi } from 'vitest'
import type { Body } from '../../../cluster/support/kube-request.ts'
import type { OwnShop } from '../../support/own-shop.ts'
import { names } from '../../support/world-places.ts'
import { type Kind, pathOf, plurals } from './kinds.ts'

export interface Manifest {
  readonly kind: Kind
  readonly metadata: { readonly name: string; readonly [member: string]: unknown }
  readonly [member: string]: unknown
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

type Spec = Readonly<Record<string, unknown>>

/** What the team creates has it, so that all of that can be deleted. */
const LABEL = { mistake: 'true' } as const
const MISTAKES = 'labelSelector=mistake%3Dtrue'
/** As kubectl does: the API alone would leave the pods of Jobs, which count in the quota. */
const WITH_PODS = 'propagationPolicy=Background'
const USER = 'team-b'
const soon = { timeout: 60_000, interval: 250 }
/** Channels of a pool are merged before it is gone. */
const patience = { timeout: 120_000, interval: 250 }
/** A failed migration is tried again after minutes. */
const recovery = { timeout: 600_000, interval: 500 }
/** Also deleted with what owns them, but not when that was deleted with its children left. */
const CHILDREN = 'app.kubernetes.io%2Fmanaged-by%3Dstellar-x402-operator'

/** A team that may do in its namespace what the role `admin` of Kubernetes allows, and nothing elsewhere. */
export class Team {
  readonly shop: OwnShop
  readonly #standing: readonly Manifest[]

  private constructor(shop: OwnShop, standing: readonly Manifest[]) {
    this.shop = shop
    this.#standing = standing
  }

  /** Its Facilitator, pool and Secrets of now are those that `undo` puts back. */
  static async of(shop: OwnShop): Promise<Team> {
    await shop.apply([
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'team', namespace: shop.shop },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }],
      },
    ])
    const standing = [
      ['Secret', 'testnet-sponsor'],
      ['Secret', 'x402-database'],
      ['ChannelPool', names.pool],
      ['Facilitator', names.facilitator],
    ] as const
    const found = standing.map(async ([kind, name]): Promise<Manifest> => {
      const { body } = await shop.cluster.request('GET', pathOf(kind, shop.shop, name))
      const { spec, data } = body
      return { kind, metadata: { name }, ...(spec ? { spec } : { data }) }
    })
    return new Team(shop, await Promise.all(found))
  }

  get namespace(): string {
    return this.shop.shop
  }

  /** The spec of its Facilitator or its pool, with parts replaced, for an object of another name. */
  facilitator(name: string, spec: Spec = {}): Manifest {
    return this.#copy('Facilitator', name, spec)
  }

  pool(name: string, spec: Spec = {}): Manifest {
    return this.#copy('ChannelPool', name, spec)
  }

  /** Creates or changes objects. Throws when one is refused. */
  async apply(...objects: readonly Manifest[]): Promise<void> {
    for (const object of objects) {
      const { status, text } = await this.tryApply(object)
      if (status >= 300) throw new Error(`${object.kind} ${object.metadata.name}: ${text}`)
    }
  }

  /** What only an administrator of the cluster may create. */
  async given({ kind, metadata, ...object }: Manifest): Promise<void> {
    const { apiVersion } = plurals[kind]
    const labelled = { ...metadata, namespace: this.namespace, labels: LABEL }
    await this.shop.apply([{ apiVersion, kind, metadata: labelled, ...object }])
  }

  tryApply({ kind, metadata, ...object }: Manifest) {
    const labels = { ...Object(metadata['labels']), ...LABEL }
    return this.#send('PATCH', `${this.path(kind, metadata.name)}?fieldManager=team&force=true`, {
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: plurals[kind].apiVersion,
        kind,
        metadata: { ...metadata, labels },
        ...object,
      },
    })
  }

  /** Changes an object with a merge patch, whether that is refused or not. */
  patch(kind: Kind, name: string, change: Body, part = '') {
    const contentType = 'application/merge-patch+json'
    return this.#send('PATCH', `${this.path(kind, name)}${part}`, { contentType, body: change })
  }

  /** Changes the spec of its Facilitator. */
  async change(spec: Spec): Promise<void> {
    const { status, text } = await this.patch('Facilitator', names.facilitator, { spec })
    if (status >= 300) throw new Error(`its Facilitator: ${text}`)
  }

  /** Deletes one object, or those that a query selects, whether that is refused or not. */
  delete(kind: Kind, name = '', query = '') {
    return this.#send('DELETE', `${this.path(kind, name)}${query && `?${query}`}`)
  }

  request(method: string, path: string, body?: Body) {
    return this.#send(method, path, body === undefined ? {} : { body })
  }

  path(kind: Kind, name = ''): string {
    return pathOf(kind, this.namespace, name)
  }

  /** The reasons of its conditions, where these are of its spec of now. */
  async reasons(kind: Kind, name: string): Promise<readonly string[]> {
    return (await this.#conditions(kind, name)).map(({ reason }) => reason)
  }

  /** Resolves when its Facilitator serves again. Throws with what is in the way. */
  async recovered(): Promise<void> {
    await vi.waitFor(async () => {
      const conditions = await this.#conditions('Facilitator', names.facilitator)
      const isWell = (type: string, status: string) =>
        conditions.some((each) => each.type === type && each.status === status)
      if (isWell('Ready', 'True') && isWell('Progressing', 'False') && isWell('Degraded', 'False'))
        return
      throw new Error(conditions.map(({ reason, message }) => `${reason}: ${message}`).join('\n'))
    }, recovery)
  }

  async #conditions(kind: Kind, name: string): Promise<readonly Condition[]> {
    const { body } = await this.shop.cluster.request('GET', this.path(kind, name))
    const { conditions = [], observedGeneration } = Object(body['status'])
    // The operator does not act upon the spec of a paused object.
    const isPaused = (conditions as Condition[]).some(({ reason }) => reason === 'Paused')
    return isPaused || observedGeneration === Object(body['metadata']).generation ? conditions : []
  }

  /** Deletes what the team has created, and gives what it had before its first spec again. */
  async undo(): Promise<void> {
    const admin = this.shop.cluster.request
    const kinds = Object.keys(plurals) as Kind[]
    for (const kind of kinds) await admin('DELETE', `${this.path(kind)}?${MISTAKES}`)
    for (const kind of ['Facilitator', 'ChannelPool'] as const)
      await vi.waitFor(() => this.#isGone(`${this.path(kind)}?${MISTAKES}`), patience)
    for (const { kind, metadata, ...content } of this.#standing)
      await vi.waitFor(() => this.#putBack(kind, metadata.name, content), soon)
  }

  /** Deletes the children that a deletion has left. */
  async deleteChildren(): Promise<void> {
    for (const kind of ['Deployment', 'Service', 'ConfigMap', 'Job', 'NetworkPolicy'] as const)
      await this.delete(kind, '', `labelSelector=${CHILDREN}&${WITH_PODS}`)
  }

  async #isGone(list: string): Promise<void> {
    const { body } = await this.shop.cluster.request('GET', list)
    const left = (body['items'] as Manifest[]).map(({ metadata }) => metadata.name)
    if (left.length > 0) throw new Error(`still there: ${left.join(', ')}`)
  }

  async #putBack(kind: Kind, name: string, content: Body): Promise<void> {
    const path = this.path(kind, name)
    const admin = this.shop.cluster.request
    const { status, body } = await admin('GET', path)
    if (Object(body['metadata']).deletionTimestamp !== undefined)
      throw new Error(`${kind} ${name} is still being deleted`)
    const { apiVersion } = plurals[kind]
    if (status === 404) {
      const created = await admin('POST', this.path(kind), {
        body: { apiVersion, kind, metadata: { name }, ...content },
      })
      if (created.status !== 201) throw new Error(created.text)
      return
    }
    const paths = Object.entries({ ...content, 'metadata/annotations': {}, 'metadata/labels': {} })
    const changed = await admin('PATCH', path, {
      contentType: 'application/json-patch+json',
      body: paths.map(([at, value]) => ({ op: 'add', path: `/${at}`, value })),
    })
    if (changed.status !== 200) throw new Error(changed.text)
  }

  #copy(kind: Kind, name: string, spec: Spec): Manifest {
    const standing = this.#standing.find((each) => each.kind === kind)
    return { kind, metadata: { name }, spec: { ...Object(standing?.['spec']), ...spec } }
  }

  #send(method: string, path: string, options: { body?: Body; contentType?: string } = {}) {
    const headers = { 'Impersonate-User': USER }
    return this.shop.cluster.request(method, path, { ...options, headers })
  }
}
