import type { SteadyClock } from '../core/clock.ts'
import { type ApiAnswer, type ApiCall, type ApiCaller, createApiCaller } from './api-calls.ts'
import type {
  AppliedObject,
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  KubeClient,
  Listed,
  PatchBody,
  PatchOptions,
  Selection,
  WatchOptions,
} from './client.ts'
import type { KubeConnection } from './connection.ts'
import { isKubeError } from './kube-error.ts'
import { type KubeMetrics, noKubeMetrics } from './metrics.ts'
import { listPages } from './pages.ts'
import {
  type DesiredObject,
  type KubeObject,
  type ObjectName,
  pathOf,
  type ResourceType,
} from './resource.ts'
import { type WatchEvent, watchEvents } from './watch-stream.ts'

export interface ClientOptions {
  readonly connection: KubeConnection
  readonly clock: SteadyClock
  /** Who owns what `apply` writes, as in `example-operator`. */
  readonly fieldManager: string
  readonly userAgent: string
  /** Requests a second, opened watches included; 50 when absent. */
  readonly qps?: number | undefined
  /** Requests at once before `qps` counts; 100 when absent. */
  readonly burst?: number | undefined
  /** For one call, from its start to the last byte; 30 s when absent. */
  readonly timeoutMs?: number | undefined
  readonly metrics?: KubeMetrics | undefined
}

export function createClient(options: ClientOptions): KubeClient {
  const { connection, clock, userAgent, fieldManager } = options
  const { qps = 50, burst = 100, timeoutMs = 30_000, metrics = noKubeMetrics } = options
  const calls = createApiCaller({ connection, clock, userAgent, qps, burst, timeoutMs, metrics })
  return new JsonClient(fieldManager, calls)
}

class JsonClient implements KubeClient {
  readonly fieldManager: string
  readonly #calls: ApiCaller

  constructor(fieldManager: string, calls: ApiCaller) {
    this.fieldManager = fieldManager
    this.#calls = calls
  }

  get<T extends KubeObject>(type: ResourceType<T>, name: ObjectName, options?: CallOptions) {
    return this.#object<T>(callTo(type, 'get', name), options)
  }

  list<T extends KubeObject>(
    type: ResourceType<T>,
    { signal, timeoutMs, ...selection }: Selection & CallOptions = {},
  ): Promise<Listed<T>> {
    const { namespace, ...query } = selection
    const call = { ...callTo(type, 'list', { namespace }), query }
    return listPages(type, (page) =>
      this.#calls.read({ ...call, query: { ...query, ...page } }, { signal, timeoutMs }),
    )
  }

  async watch<T extends KubeObject>(
    type: ResourceType<T>,
    { signal, idleMs, timeoutSeconds, namespace, ...selection }: WatchOptions,
  ): Promise<AsyncIterable<WatchEvent<T>>> {
    const query = {
      ...selection,
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(timeoutSeconds),
    }
    const call: ApiCall = { ...callTo(type, 'watch', { namespace }), query }
    const body = await this.#calls.open(call, { signal })
    return watchEvents<T>(body, { signal, idleMs, what: `Watch of ${type.plural}` })
  }

  async apply<T extends KubeObject>(
    type: ResourceType<T>,
    object: DesiredObject,
    options: ApplyOptions = {},
  ): Promise<AppliedObject<T>> {
    const answer = await this.#apply(callTo(type, 'apply', object.metadata), object, options)
    return { object: objectOf<T>(answer), created: answer.status === 201 }
  }

  async applyStatus<T extends KubeObject>(
    type: ResourceType<T>,
    object: DesiredObject,
    options: ApplyOptions = {},
  ): Promise<T> {
    const call = callTo(type, 'apply', { ...object.metadata, subresource: 'status' })
    const fieldManager = options.fieldManager ?? `${this.fieldManager}-status`
    return objectOf<T>(await this.#apply(call, object, { ...options, fieldManager }))
  }

  patch<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    patch: PatchBody,
    { subresource, ...options }: PatchOptions = {},
  ): Promise<T> {
    const call = callTo(type, 'patch', { ...name, subresource })
    const query = { fieldManager: this.fieldManager }
    return this.#object<T>({ ...call, ...bodyOf(patch), query }, options)
  }

  create<T extends KubeObject>(
    type: ResourceType<T>,
    object: DesiredObject,
    options?: CallOptions,
  ): Promise<T> {
    const call = callTo(type, 'create', { namespace: object.metadata.namespace })
    const query = { fieldManager: this.fieldManager }
    return this.#object<T>({ ...call, query, body: object }, options)
  }

  async delete(
    type: ResourceType,
    name: ObjectName,
    { uid, propagationPolicy = 'Background', ...options }: DeleteOptions = {},
  ): Promise<boolean> {
    const preconditions = uid === undefined ? {} : { preconditions: { uid } }
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy, ...preconditions }
    try {
      await this.#calls.read({ ...callTo(type, 'delete', name), body }, options)
      return true
    } catch (error) {
      if (isKubeError(error, 'notFound')) return false
      throw error
    }
  }

  async read(path: string, options?: CallOptions): Promise<unknown> {
    const call: ApiCall = { verb: 'get', method: 'GET', resource: '', path }
    return (await this.#calls.read(call, options)).value
  }

  async #object<T extends KubeObject>(call: ApiCall, options?: CallOptions): Promise<T> {
    return objectOf<T>(await this.#calls.read(call, options))
  }

  #apply(call: ApiCall, body: DesiredObject, options: ApplyOptions): Promise<ApiAnswer> {
    const { fieldManager = this.fieldManager, force = true, dryRun = false, ...limits } = options
    const query = {
      fieldManager,
      force: String(force),
      fieldValidation: 'Strict',
      dryRun: dryRun ? 'All' : undefined,
    }
    const contentType = 'application/apply-patch+yaml'
    return this.#calls.read({ ...call, query, body, contentType }, limits)
  }
}

const methods = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  apply: 'PATCH',
  patch: 'PATCH',
  delete: 'DELETE',
} as const satisfies Record<ApiCall['verb'], ApiCall['method']>

const callTo = (
  type: ResourceType,
  verb: ApiCall['verb'],
  parts: Parameters<typeof pathOf>[1],
): ApiCall => ({
  verb,
  method: methods[verb],
  resource: type.plural,
  path: pathOf(type, parts),
})

const bodyOf = (patch: PatchBody): Pick<ApiCall, 'body' | 'contentType'> =>
  'merge' in patch
    ? { body: patch.merge, contentType: 'application/merge-patch+json' }
    : { body: patch.json, contentType: 'application/json-patch+json' }

const objectOf = <T extends KubeObject>({ value }: ApiAnswer): T => value as T
