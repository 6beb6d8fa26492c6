import { backoffMs } from '../../../platform/core/time/backoff.ts'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { KubeClient, Selection } from '../client/client.ts'
import { isKubeError, KubeError } from '../client/kube-error.ts'
import type { Transform } from '../client/pages.ts'
import type { WatchEvent } from '../client/watch-stream.ts'
import type { Logger } from '../logger.ts'
import { type KubeMetrics, noKubeMetrics } from '../metrics/metrics.ts'
import { compareVersions, type KubeObject, keyOf, type ResourceType } from '../objects/resource.ts'
import { jittered, WATCH_BACKOFF } from '../time/backoff.ts'
import type { Change, ObjectStore } from './store.ts'
import { Turns } from './turns.ts'

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'list' | 'watch'>
  readonly type: ResourceType<T>
  readonly selection?: Selection
  readonly transform?: Transform<T>
  readonly pageSize?: number | undefined
  readonly turns?: Turns | undefined
  /** Several reflectors may fill one store when their selections share no object. */
  readonly store: ObjectStore<T>
  /** Called for each change after the store has it; `initial` for those of the first list. Must not throw. */
  readonly onChange: (change: Change<T>, initial: boolean) => void
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics?: KubeMetrics
  /** A watch that sends nothing for this long counts as broken. @default 150 s, two and a half bookmarks */
  readonly idleMs?: number
}

/** Why a watch ended; the label of a metric. */
type Cause = 'ended' | 'gone' | 'disorder' | 'error'

/** The server ends watches after a random time in this range, so that those of many processes spread out. */
const WATCH_SECONDS = { min: 300, max: 600 }

/** Between two requests that the server refuses, plus or minus 10 %; the first few come sooner. */
const REFUSED_RETRY_MS = 60_000
const QUICK_RETRIES = 5

/** A watch that ends sooner counts as a failure for the backoff of the next ones. */
const SHORT_WATCH_MS = 5_000

/** An event is older than the last one: the stream cannot be trusted, and only a new list can. */
class Disorder extends Error {}

/**
 * Keeps a store equal to the server: lists, then watches from the version of the list. It resumes a watch
 * that ended, and lists again when the server no longer has that version. Backs off from 0.8 s to 30 s while calls fail.
 */
export class Reflector<T extends KubeObject> {
  /** Resolves when the first list is in the store. */
  readonly synced: Promise<void>
  /** Resolves when the first list is in the store, or the server has refused it for this namespace. */
  readonly answered: Promise<void>
  readonly #options: ReflectorOptions<T>
  readonly #metrics: KubeMetrics
  readonly #sync = Promise.withResolvers<void>()
  readonly #answer = Promise.withResolvers<void>()
  #isRefused = false
  #initial = true
  #version: string | undefined
  /** Failed lists and watches in a row. */
  #failed = 0
  /** Watches in a row that ended within `SHORT_WATCH_MS`. */
  #short = 0

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    this.#metrics = options.metrics ?? noKubeMetrics
    this.synced = this.#sync.promise
    this.answered = this.#answer.promise
  }

  get namespace(): string | undefined {
    return this.#options.selection?.namespace
  }

  /**
   * Whether the server refused the last list or watch: the namespace is gone with the rights in it, or an
   * administrator took them away. The store may be out of date then.
   */
  get isRefused(): boolean {
    return this.#isRefused
  }

  get isSynced(): boolean {
    return !this.#initial
  }

  covers(namespace: string): boolean {
    return this.namespace === undefined || this.namespace === namespace
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
    // Counted as failed until the server has accepted the watch.
    this.#failed += 1
    if (this.#version === undefined) await this.#list(signal)
    const stream = await this.#openWatch(this.#version ?? '', signal)
    this.#failed = 0
    this.#setRefused(false)
    const { clock } = this.#options
    const opened = clock.monotonic()
    try {
      for await (const event of stream) this.#take(event)
    } finally {
      this.#short = clock.monotonic() - opened < SHORT_WATCH_MS ? this.#short + 1 : 0
    }
    await this.#afterEnd('ended', signal)
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, type, selection = {}, transform, pageSize, store } = this.#options
    const { turns = new Turns() } = this.#options
    const { namespace } = selection
    const options = { ...selection, transform, ...(pageSize !== undefined && { pageSize }), signal }
    const { items, resourceVersion } = await turns.run(() => client.list(type, options))
    const within = (object: T) => namespace === undefined || object.metadata.namespace === namespace
    for (const change of store.replace(items, within)) this.#options.onChange(change, this.#initial)
    this.#version = resourceVersion
    this.#initial = false
    this.#measure()
    this.#setRefused(false)
    this.#sync.resolve()
    this.#answer.resolve()
  }

  #setRefused(isRefused: boolean): void {
    const { namespace = '' } = this
    if (isRefused === this.#isRefused) return
    this.#isRefused = isRefused
    this.#metrics.refusedNamespaces.set({ ...this.#label, namespace }, isRefused ? 1 : 0)
  }

  #openWatch(resourceVersion: string, signal: AbortSignal): Promise<AsyncIterable<WatchEvent<T>>> {
    const { client, type, selection = {}, transform, idleMs = 150_000, random } = this.#options
    const { min, max } = WATCH_SECONDS
    const timeoutSeconds = min + Math.floor(random() * (max - min))
    const limits = { timeoutSeconds, idleMs, signal }
    return client.watch(type, { ...selection, transform, resourceVersion, ...limits })
  }

  #take({ type, object }: WatchEvent<T>): void {
    this.#measure()
    const { resourceVersion } = object.metadata
    const order = compareVersions(resourceVersion, this.#version)
    if (order === 'older') throw new Disorder(`${type} of an older version`)
    if (order === 'same' && type !== 'BOOKMARK') return
    this.#version = resourceVersion
    if (type === 'BOOKMARK') return
    const { store, onChange } = this.#options
    const change = type === 'DELETED' ? store.delete(keyOf(object.metadata)) : store.put(object)
    if (change) onChange(change, false)
    this.#measure()
  }

  async #afterFailure(error: unknown, signal: AbortSignal): Promise<void> {
    const { type, logger } = this.#options
    if (isKubeError(error, 'forbidden') && error.status === 403) {
      return this.#afterRefusal(error, signal)
    }
    const cause = causeOf(error)
    if (cause !== 'error') this.#version = undefined
    const level = cause === 'gone' ? 'debug' : 'warn'
    logger[level]({ kind: type.kind, cause, err: error }, 'Watch failed, starting another')
    const leastMs = error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0
    await this.#afterEnd(cause, signal, leastMs)
  }

  /** Logged once and soon retried slowly: rights may follow an installation, and a deleted namespace stays away. */
  async #afterRefusal(error: unknown, signal: AbortSignal): Promise<void> {
    const { type, logger, clock, random } = this.#options
    const { namespace = 'all namespaces' } = this
    if (!this.#isRefused) {
      logger.warn(
        { kind: type.kind, namespace, err: error },
        'The server refuses to list a watched kind: grant the right, or stop to watch the namespace if it is gone',
      )
    }
    this.#setRefused(true)
    this.#answer.resolve()
    this.#metrics.watchRestarts.inc({ ...this.#label, cause: 'refused' })
    const waitMs =
      this.#failed <= QUICK_RETRIES
        ? backoffMs(WATCH_BACKOFF, this.#failed, random)
        : jittered(REFUSED_RETRY_MS, 0.1, random)
    await clock.sleep(waitMs, signal).catch(() => undefined)
  }

  /** A single end, or a single version that is gone, is normal; the next in a row has to wait. */
  async #afterEnd(cause: Cause, signal: AbortSignal, leastMs = 0): Promise<void> {
    this.#metrics.watchRestarts.inc({ ...this.#label, cause })
    const excused = cause === 'ended' || cause === 'gone' ? 1 : 0
    const failures = Math.max(this.#failed, this.#short) - excused
    const { clock, random } = this.#options
    const waitMs = failures > 0 ? backoffMs(WATCH_BACKOFF, failures, random) : 0
    if (Math.max(waitMs, leastMs) === 0) return
    await clock.sleep(Math.max(waitMs, leastMs), signal).catch(() => undefined)
  }

  #measure(): void {
    const { clock, store } = this.#options
    this.#metrics.watchActivity.set(this.#label, clock.now() / 1000)
    this.#metrics.cachedObjects.set(this.#label, store.size)
  }

  get #label(): { readonly kind: string } {
    return { kind: this.#options.type.kind }
  }
}

function causeOf(error: unknown): Cause {
  if (error instanceof Disorder) return 'disorder'
  return isKubeError(error, 'gone') ? 'gone' : 'error'
}
