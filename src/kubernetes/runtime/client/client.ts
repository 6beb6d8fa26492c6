import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import { type KubeMetrics, noKubeMetrics } from '../metrics/metrics.ts'
import {
  collectionPath,
  type DesiredObject,
  type KubeObject,
  type ObjectName,
  objectPath,
  type ResourceType,
} from '../objects/resource.ts'
import { type ApiCall, type CallOptions, createApiCaller } from './api-calls.ts'
import type { KubeConnection } from './connection.ts'
import { isKubeError } from './kube-error.ts'
import { type Listed, listPages, type ReadPage, type Transform, typed } from './pages.ts'
import type { ServerClock } from './server-clock.ts'
import { methods } from './verbs.ts'
import { type WatchEvent, watchEvents } from './watch-stream.ts'

export interface Selection {
  /** @default all namespaces */
  readonly namespace?: string
  readonly labelSelector?: string
  /** By fields that the kind supports, as in `type!=helm.sh/release.v1` for Secrets. */
  readonly fieldSelector?: string
}

interface ListOptions<T extends KubeObject> extends Selection, CallOptions {
  readonly transform?: Transform<T> | undefined
  /** Objects in one page: few where each may be large. @default 50 */
  readonly pageSize?: number | undefined
}

interface WatchOptions<T extends KubeObject> extends Selection {
  readonly resourceVersion: string
  /** The server ends the watch after this time. */
  readonly timeoutSeconds: number
  /** A stream that sends nothing for this long counts as broken. Bookmarks come about once a minute. */
  readonly idleMs: number
  /** Not called for bookmarks. */
  readonly transform?: Transform<T> | undefined
  readonly signal?: AbortSignal
}

interface ApplyOptions extends CallOptions {
  /** @default the client's */
  readonly fieldManager?: string
  /** Takes over fields that other managers own; without it they are a conflict. @default true */
  readonly force?: boolean
}

interface DeleteOptions extends CallOptions {
  /** Deletes only the object with this uid; another object of that name is a conflict. */
  readonly uid?: string
}

/** An operation of a JSON patch (RFC 6902); `path` is a JSON pointer. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'replace'
  readonly path: string
  readonly value: unknown
}

export interface AppliedObject<T extends KubeObject> {
  readonly object: T
  readonly created: boolean
}

/**
 * The verbs of the API server over plain JSON: fields unknown to this code are kept. Every call rejects
 * with a KubeError, or with the reason of the caller's signal. The client repeats no call, except one
 * sent on a kept socket that the server had closed.
 */
export interface KubeClient {
  /** The manager of the fields that `apply` writes. */
  readonly fieldManager: string
  get<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    options?: CallOptions,
  ): Promise<T>
  /** All objects as of one resourceVersion, read in pages. */
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions<T>): Promise<Listed<T>>
  /** Resolves once the server accepted the watch. The stream ends when the server ends it. */
  watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions<T>,
  ): Promise<AsyncIterable<WatchEvent<T>>>
  /** Server-side apply. With `metadata.uid` it changes exactly that object or conflicts, and never creates one. */
  apply<T extends KubeObject>(
    type: ResourceType<T>,
    object: DesiredObject,
    options?: ApplyOptions,
  ): Promise<AppliedObject<T>>
  /** Server-side apply of the status subresource, as `<fieldManager>-status`. */
  applyStatus<T extends KubeObject>(
    type: ResourceType<T>,
    object: DesiredObject,
    options?: ApplyOptions,
  ): Promise<T>
  /** A JSON merge patch (RFC 7386). */
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    mergePatch: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<T>
  /** A JSON patch (RFC 6902). */
  jsonPatch<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    operations: readonly JsonPatchOperation[],
    options?: CallOptions,
  ): Promise<T>
  create<T extends KubeObject>(
    type: ResourceType<T>,
    object: DesiredObject,
    options?: CallOptions,
  ): Promise<T>
  /** Deletes with background propagation. False when the object did not exist. */
  delete(type: ResourceType, name: ObjectName, options?: DeleteOptions): Promise<boolean>
  /** A GET of any path of the server, for discovery and health. */
  read(path: string, options?: CallOptions): Promise<unknown>
}

export interface ClientOptions {
  readonly connection: KubeConnection
  readonly clock: SteadyClock
  /** Owns the fields that `apply` writes, as in `example-operator`. */
  readonly fieldManager: string
  readonly userAgent: string
  /** Requests a second, opened watches included. @default 50 */
  readonly qps?: number
  /** Requests that may be sent at once before `qps` limits them. @default 100 */
  readonly burst?: number
  /** For one call, from its start to the last byte. @default 30 s */
  readonly timeoutMs?: number
  readonly metrics?: KubeMetrics
  /** Learns the server's time from each answer. */
  readonly serverClock?: Pick<ServerClock, 'observe'>
}

export function createClient({
  fieldManager,
  qps = 50,
  burst = 100,
  timeoutMs = 30_000,
  metrics = noKubeMetrics,
  ...options
}: ClientOptions): KubeClient {
  const calls = createApiCaller({ ...options, qps, burst, timeoutMs, metrics })

  const readObject = async <T extends KubeObject>(call: ApiCall, limits?: CallOptions) =>
    (await calls.read(call, limits)).value as T
  const applyTo = async <T extends KubeObject>(
    path: string,
    type: ResourceType<T>,
    body: DesiredObject,
    { fieldManager: manager = fieldManager, force = true, ...limits }: ApplyOptions = {},
  ): Promise<AppliedObject<T>> => {
    const query = { fieldManager: manager, force: String(force), fieldValidation: 'Strict' }
    const contentType = 'application/apply-patch+yaml'
    const call = { ...callTo(type, 'apply', path), query, body, contentType }
    const { status, value } = await calls.read(call, limits)
    return { object: value as T, created: status === 201 }
  }

  return {
    fieldManager,
    get(type, name, limits) {
      const call = callTo(type, 'get', objectPath(type, name))
      return readObject(call, limits).then((object) => typed(type, object))
    },
    list(type, { namespace, labelSelector, fieldSelector, transform, pageSize, ...limits } = {}) {
      const call = callTo(type, 'list', collectionPath(type, namespace))
      const readPage: ReadPage = (page, onItem) =>
        calls.readItems(
          { ...call, query: { labelSelector, fieldSelector, ...page } },
          onItem,
          limits,
        )
      return listPages(type, readPage, transform, pageSize)
    },
    async watch(type, { namespace, timeoutSeconds, transform = (object) => object, ...options }) {
      const { labelSelector, fieldSelector, resourceVersion, ...stream } = options
      const query = {
        labelSelector,
        fieldSelector,
        resourceVersion,
        watch: 'true',
        allowWatchBookmarks: 'true',
        timeoutSeconds: String(timeoutSeconds),
      }
      const call = { ...callTo(type, 'watch', collectionPath(type, namespace)), query }
      const body = await calls.open(call, stream.signal && { signal: stream.signal })
      const read = (object: KubeObject) => transform(typed(type, object))
      return watchEvents(body, { ...stream, name: `Watch of ${type.plural}`, read })
    },
    apply: (type, object, applyOptions) =>
      applyTo(objectPath(type, object.metadata), type, object, applyOptions),
    async applyStatus(type, object, applyOptions) {
      const path = objectPath(type, object.metadata, 'status')
      const asStatus = { fieldManager: `${fieldManager}-status`, ...applyOptions }
      return (await applyTo(path, type, object, asStatus)).object
    },
    patch(type, name, body, limits) {
      const call = callTo(type, 'patch', objectPath(type, name))
      const contentType = 'application/merge-patch+json'
      return readObject({ ...call, query: { fieldManager }, body, contentType }, limits)
    },
    jsonPatch(type, name, body, limits) {
      const call = callTo(type, 'patch', objectPath(type, name))
      const contentType = 'application/json-patch+json'
      return readObject({ ...call, query: { fieldManager }, body, contentType }, limits)
    },
    create(type, body, limits) {
      const call = callTo(type, 'create', collectionPath(type, body.metadata.namespace))
      return readObject({ ...call, query: { fieldManager }, body }, limits)
    },
    async delete(type, name, { uid, ...limits } = {}) {
      const body = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        ...(uid !== undefined && { preconditions: { uid } }),
      }
      try {
        await calls.read({ ...callTo(type, 'delete', objectPath(type, name)), body }, limits)
        return true
      } catch (error) {
        if (isKubeError(error, 'notFound')) return false
        throw error
      }
    },
    async read(path, limits) {
      const call = { verb: 'get', method: 'GET', resource: '', path } as const
      return (await calls.read(call, limits)).value
    },
  }
}

const callTo = (type: ResourceType, verb: ApiCall['verb'], path: string): ApiCall => ({
  verb,
  method: methods[verb],
  resource: type.plural,
  path,
  ...(type.content === 'metadata' && { accept: metadataAlone(verb) }),
})

/** No other type is accepted: a server that cannot leave the content out answers 406, instead of sending it. */
const metadataAlone = (verb: ApiCall['verb']): string =>
  `application/json;as=PartialObjectMetadata${verb === 'list' ? 'List' : ''};g=meta.k8s.io;v=v1`
