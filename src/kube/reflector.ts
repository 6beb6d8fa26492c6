import type { SteadyClock } from '../core/clock.ts'
import type { Logger } from '../telemetry/logger.ts'
import { backoffMs, watchBackoff } from './backoff.ts'
import type { KubeClient, Selection } from './client.ts'
import { isKubeError, KubeError } from './kube-error.ts'
import { type KubeMetrics, noKubeMetrics } from './metrics.ts'
import { type KubeObject, keyOf, type ResourceType } from './resource.ts'
import type { Change, ObjectStore } from './store.ts'
import { orderOf } from './version-order.ts'
import type { WatchEvent } from './watch-stream.ts'

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'list' | 'watch'>
  readonly type: ResourceType<T>
  readonly selection?: Selection | undefined
  /** Several reflectors may fill one store if no object is selected by two of them. */
  readonly store: ObjectStore<T>
  /** Told of each change after the store has it; `initial` while the first list is taken in. Must not throw. */
  readonly onChange: (change: Change<T>, initial: boolean) => void
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics?: KubeMetrics | undefined
  /** A watch without a byte for this long is taken for dead; 150 s when absent: two bookmarks and a half. */
  readonly idleMs?: number | undefined
}

/** Why a watch ended; the label of a metric. */
type Cause = 'ended' | 'gone' | 'disorder' | 'error'

/** The server was told to end watches after 5 to 10 minutes, so that those of many processes part ways. */
const watchSeconds = { least: 300, most: 600 }

/** A watch that does not live this long counts against the ones after it. */
const shortMs = 5_000

/** An event that is older than what was seen: the stream is not the server's own, only a new list is to be trusted. */
class Disorder extends Error {}

/**
 * Keeps a store equal to what the server holds: lists, then watches from there, resuming where a watch
 * ended, listing anew when the server no longer knows that place. Backs off from 0.8 s to 30 s while calls fail.
 */
export class Reflector<T extends KubeObject> {
  /** Resolves when the first list is in the store. */
  readonly synced: Promise<void>
  readonly #options: ReflectorOptions<T>
  readonly #metrics: KubeMetrics
  #markSynced: () => void = () => undefined
  #initial = true
  #version: string | undefined
  /** Lists and watches in a row that did not come about. */
  #failed = 0
  /** Watches in a row that ended as soon as they began. */
  #short = 0

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    this.#metrics = options.metrics ?? noKubeMetrics
    this.synced = new Promise((resolve) => {
      this.#markSynced = resolve
    })
  }

  /** Runs until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#listOrResume(signal)
      } catch (error) {
        if (signal.aborted) return
        await this.#afterFailure(error, signal)
      }
    }
  }

  async #listOrResume(signal: AbortSignal): Promise<void> {
    // Counted as failed until the server has taken the watch.
    this.#failed += 1
    if (this.#version === undefined) await this.#list(signal)
    const stream = await this.#openWatch(this.#version ?? '', signal)
    this.#failed = 0
    const { clock } = this.#options
    const opened = clock.monotonic()
    try {
      for await (const event of stream) this.#take(event)
    } finally {
      this.#short = clock.monotonic() - opened < shortMs ? this.#short + 1 : 0
    }
    await this.#afterEnd('ended', signal)
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, type, selection = {}, store } = this.#options
    const { namespace } = selection
    const { items, resourceVersion } = await client.list(type, { ...selection, signal })
    const within = (object: T) => namespace === undefined || object.metadata.namespace === namespace
    for (const change of store.replace(items, within)) this.#options.onChange(change, this.#initial)
    this.#version = resourceVersion
    this.#initial = false
    this.#active()
    this.#markSynced()
  }

  #openWatch(resourceVersion: string, signal: AbortSignal): Promise<AsyncIterable<WatchEvent<T>>> {
    const { client, type, selection = {}, idleMs = 150_000, random } = this.#options
    const { least, most } = watchSeconds
    const timeoutSeconds = least + Math.floor(random() * (most - least))
    return client.watch(type, { ...selection, resourceVersion, timeoutSeconds, idleMs, signal })
  }

  #take({ type, object }: WatchEvent<T>): void {
    this.#active()
    const { resourceVersion } = object.metadata
    const order = orderOf(resourceVersion, this.#version)
    if (order === 'older') throw new Disorder(`${type} of an older version`)
    if (order === 'same' && type !== 'BOOKMARK') return
    this.#version = resourceVersion
    if (type === 'BOOKMARK') return
    const { store, onChange } = this.#options
    const change = type === 'DELETED' ? store.delete(keyOf(object.metadata)) : store.put(object)
    if (change) onChange(change, false)
    this.#metrics.cachedObjects.set(this.#label, store.size)
  }

  async #afterFailure(error: unknown, signal: AbortSignal): Promise<void> {
    const { type, logger } = this.#options
    const cause = causeOf(error)
    if (cause !== 'error') this.#version = undefined
    const level = cause === 'gone' ? 'debug' : 'warn'
    logger[level]({ kind: type.kind, cause, err: error }, 'Watch failed and begins anew')
    const leastMs = error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0
    await this.#afterEnd(cause, signal, leastMs)
  }

  /** One end, or one version that is gone, is the way of the world; the next in a row has to wait. */
  async #afterEnd(cause: Cause, signal: AbortSignal, leastMs = 0): Promise<void> {
    this.#metrics.watchRestarts.inc({ ...this.#label, cause })
    const excused = cause === 'ended' || cause === 'gone' ? 1 : 0
    const failures = Math.max(this.#failed, this.#short) - excused
    const { clock, random } = this.#options
    const waitMs = failures > 0 ? backoffMs(watchBackoff, failures, random) : 0
    if (Math.max(waitMs, leastMs) === 0) return
    await clock.sleep(Math.max(waitMs, leastMs), signal).catch(() => undefined)
  }

  #active(): void {
    this.#metrics.watchActivity.set(this.#label, this.#options.clock.now() / 1000)
  }

  get #label(): { readonly kind: string } {
    return { kind: this.#options.type.kind }
  }
}

function causeOf(error: unknown): Cause {
  if (error instanceof Disorder) return 'disorder'
  return isKubeError(error, 'gone') ? 'gone' : 'error'
}
