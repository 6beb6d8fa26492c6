import type { DesiredObject, KubeObject, ObjectName, ResourceType } from './resource.ts'
import type { WatchEvent } from './watch-stream.ts'

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** From the first byte sent to the last one read; the client's when absent. */
  readonly timeoutMs?: number | undefined
}

export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

export interface WatchOptions extends Selection {
  readonly resourceVersion: string
  /** When the server shall end the watch by itself. */
  readonly timeoutSeconds: number
  /** A stream without a byte for this long is taken for dead; bookmarks come about once a minute. */
  readonly idleMs: number
  readonly signal?: AbortSignal | undefined
}

export interface ApplyOptions extends CallOptions {
  /** The client's own when absent. */
  readonly fieldManager?: string | undefined
  /** Takes fields from other managers; true when absent. */
  readonly force?: boolean | undefined
  readonly dryRun?: boolean | undefined
}

export interface PatchOptions extends CallOptions {
  readonly subresource?: string | undefined
}

export interface DeleteOptions extends CallOptions {
  /** Deletes this very object or nothing; another one of that name is a conflict. */
  readonly uid?: string | undefined
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined
}

export interface Listed<T extends KubeObject> {
  readonly items: readonly T[]
  /** Where a watch goes on from. */
  readonly resourceVersion: string
}

export interface AppliedObject<T extends KubeObject> {
  readonly object: T
  readonly created: boolean
}

export type PatchBody =
  | { readonly merge: Readonly<Record<string, unknown>> }
  | { readonly json: readonly Readonly<Record<string, unknown>>[] }

/**
 * The verbs of the API server over plain JSON: what it does not know it keeps. Every call rejects with a
 * KubeError, or with the reason of the caller's signal; none is repeated here, but for one on a stale socket.
 */
export interface KubeClient {
  /** The manager of what `apply` writes. */
  readonly fieldManager: string
  get<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    options?: CallOptions,
  ): Promise<T>
  /** All pages of 500, as of one moment. */
  list<T extends KubeObject>(
    type: ResourceType<T>,
    options?: Selection & CallOptions,
  ): Promise<Listed<T>>
  /** Resolves once the server took the watch. The stream ends when the server ends it. */
  watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
  ): Promise<AsyncIterable<WatchEvent<T>>>
  /** Server-side apply. With `metadata.uid` it changes that very object or conflicts, and never creates. */
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
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    body: PatchBody,
    options?: PatchOptions,
  ): Promise<T>
  create<T extends KubeObject>(
    type: ResourceType<T>,
    object: DesiredObject,
    options?: CallOptions,
  ): Promise<T>
  /** False when there was nothing to delete. */
  delete(type: ResourceType, name: ObjectName, options?: DeleteOptions): Promise<boolean>
  /** A GET of any path of the server, for discovery and health. */
  read(path: string, options?: CallOptions): Promise<unknown>
}
