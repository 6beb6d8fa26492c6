import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { KubeClient } from '../client/client.ts'
import type { Transform } from '../client/pages.ts'
import type { Logger } from '../logger.ts'
import type { KubeMetrics } from '../metrics/metrics.ts'
import type { KubeObject, ResourceType } from '../objects/resource.ts'
import { Reflector } from './reflector.ts'
import { type Change, type Index, type KeepManagers, ObjectStore, type ReadStore } from './store.ts'
import type { Turns } from './turns.ts'

export interface InformerOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'list' | 'watch'>
  readonly type: ResourceType<T>
  /** Empty for all. @default all namespaces */
  readonly namespaces?: readonly string[]
  readonly labelSelector?: string
  /** By fields that the kind supports, as in `type!=helm.sh/release.v1` for Secrets. */
  readonly fieldSelector?: string
  /**
   * Makes the object that the cache holds of each that arrives, so that unused parts take no memory. Must keep
   * name, namespace, uid and resourceVersion. See `identityOf`.
   */
  readonly transform?: Transform<T>
  /** Objects in one page of the list: few where each may be large. @default 50 */
  readonly pageSize?: number
  /** Shared by informers that shall list one after the other, so that the memory for one page is enough. @default at once */
  readonly turns?: Turns
  /** By name; see `byController`. */
  readonly indexes?: Readonly<Record<string, Index<T>>>
  /** Selects the entries of `metadata.managedFields` that the cache keeps. @default none */
  readonly keepManagers?: KeepManagers
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics?: KubeMetrics
  /** See `ReflectorOptions`. */
  readonly idleMs?: number
}

export type ChangeHandler<T extends KubeObject> = (change: Change<T>, initial: boolean) => void

/** A cache of one kind that follows the server, and reports changes to its handlers. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly type: ResourceType<T>
  readonly store: ReadStore<T>
  /**
   * Resolves when the first list of every namespace is in the store. A namespace that the server refuses does not
   * count, unless it refuses all.
   */
  readonly synced: Promise<void>
  /** Resolves when the server has given or refused the first list of every namespace. */
  readonly answered: Promise<void>
  /** Whether the objects of this namespace are in the store, and the server still allows to watch them. */
  sees(namespace: string): boolean
  /** Whether the server refuses the kind in this namespace: what the store has of it may be out of date. */
  isRefused(namespace: string | undefined): boolean
  /** Calls the handler at once for each change, after the store has it; not for objects that are in the store already. */
  onChange(handler: ChangeHandler<T>): void
  /** Runs until the signal aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const { type, namespaces = [], labelSelector, fieldSelector, logger } = options
  const store = new ObjectStore<T>(options.indexes, options.keepManagers)
  const handlers: ChangeHandler<T>[] = []
  const report: ChangeHandler<T> = (change, initial) => {
    for (const handler of handlers) {
      try {
        handler(change, initial)
      } catch (error) {
        logger.error({ kind: type.kind, err: error }, 'Could not handle a change')
      }
    }
  }
  const scopes = namespaces.length > 0 && type.namespaced ? namespaces : [undefined]
  const reflectors = scopes.map((namespace) => {
    const selection = {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    }
    return new Reflector<T>({ ...options, selection, store, onChange: report })
  })

  const answered = Promise.all(reflectors.map((each) => each.answered)).then(() => undefined)
  return {
    type,
    store,
    answered,
    synced: answered.then(() => Promise.any(reflectors.map(({ synced }) => synced))),
    sees: (namespace) =>
      reflectors.some((each) => each.isSynced && !each.isRefused && each.covers(namespace)),
    isRefused: (namespace) =>
      namespace !== undefined &&
      reflectors.some((each) => each.isRefused && each.namespace === namespace),
    onChange: (handler) => {
      handlers.push(handler)
    },
    run: async (signal) => {
      await Promise.all(reflectors.map((reflector) => reflector.run(signal)))
    },
  }
}
