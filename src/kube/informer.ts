import type { SteadyClock } from '../core/clock.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { KubeClient } from './client.ts'
import type { KubeMetrics } from './metrics.ts'
import { Reflector } from './reflector.ts'
import type { KubeObject, ResourceType } from './resource.ts'
import { type Change, type Index, ObjectStore, type ReadStore } from './store.ts'

export interface InformerOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'list' | 'watch'>
  readonly type: ResourceType<T>
  /** Absent or empty: all namespaces. */
  readonly namespaces?: readonly string[] | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** By name; see `indexes.ts` for the usual ones. */
  readonly indexes?: Readonly<Record<string, Index<T>>> | undefined
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics?: KubeMetrics | undefined
  /** See `ReflectorOptions`. */
  readonly idleMs?: number | undefined
}

export type ChangeHandler<T extends KubeObject> = (change: Change<T>, initial: boolean) => void

/** A cache of one kind that keeps itself up to date, and tells who asked about changes. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly type: ResourceType<T>
  readonly store: ReadStore<T>
  /** Resolves when the first list of every namespace is in the store. */
  readonly synced: Promise<void>
  /** Handlers run at once, after the store has the change; of what was there before they hear nothing. */
  onChange(handler: ChangeHandler<T>): void
  /** Until the signal aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const { type, namespaces = [], labelSelector, fieldSelector, logger } = options
  const store = new ObjectStore<T>(options.indexes)
  const handlers: ChangeHandler<T>[] = []
  const tell: ChangeHandler<T> = (change, initial) => {
    for (const handler of handlers) {
      try {
        handler(change, initial)
      } catch (error) {
        logger.error({ kind: type.kind, err: error }, 'Could not tell of a change')
      }
    }
  }
  const scopes = namespaces.length > 0 && type.namespaced ? namespaces : [undefined]
  const reflectors = scopes.map((namespace) => {
    const selection = { namespace, labelSelector, fieldSelector }
    return new Reflector<T>({ ...options, selection, store, onChange: tell })
  })

  return {
    type,
    store,
    synced: Promise.all(reflectors.map(({ synced }) => synced)).then(() => undefined),
    onChange: (handler) => {
      handlers.push(handler)
    },
    run: async (signal) => {
      await Promise.all(reflectors.map((reflector) => reflector.run(signal)))
    },
  }
}
