import type { SteadyClock } from '../core/clock.ts'
import type { Logger } from '../telemetry/logger.ts'
import { jittered } from './backoff.ts'
import type { KubeClient } from './client.ts'
import { isKubeError } from './kube-error.ts'
import {
  type Key,
  type KubeObject,
  keyOf,
  nameOf,
  type ObjectName,
  type ResourceType,
} from './resource.ts'

export interface ReferencesOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'get'>
  readonly type: ResourceType<T>
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  /** How often an object that is there is read again, give or take 10 %; 5 minutes when absent. */
  readonly presentMs?: number | undefined
  /** How often one that is missing, or cannot be read, is looked for; 30 s when absent. */
  readonly missingMs?: number | undefined
}

/**
 * Objects that users name, such as Secrets: read by name, so that nobody has to be allowed to list them,
 * kept while somebody needs them, and read again now and then.
 */
export interface References<T extends KubeObject = KubeObject> {
  /**
   * Says which objects `holder` needs, instead of those it needed before, and gives them: undefined stands
   * for one that is not there. Makes a call only for what was not read yet. Throws KubeErrors.
   */
  hold(
    holder: Key,
    names: readonly ObjectName[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<Key, T | undefined>>
  release(holder: Key): void
  /** Called with those who hold an object that came, went or changed; before `run`. */
  onChange(handler: (holders: readonly Key[]) => void): void
  /** Reads again what is due until the signal aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>
}

interface Reference<T> {
  readonly holders: Set<Key>
  object: T | undefined
  /** Monotonic time of the next reading. */
  due: number
}

/** How often the due ones are looked for. */
const tickMs = 1_000

export const createReferences = <T extends KubeObject>(
  options: ReferencesOptions<T>,
): References<T> => new PolledReferences(options)

class PolledReferences<T extends KubeObject> implements References<T> {
  readonly #options: ReferencesOptions<T>
  readonly #references = new Map<Key, Reference<T>>()
  readonly #heldBy = new Map<Key, ReadonlySet<Key>>()
  readonly #handlers: ((holders: readonly Key[]) => void)[] = []

  constructor(options: ReferencesOptions<T>) {
    this.#options = options
  }

  async hold(holder: Key, names: readonly ObjectName[], signal?: AbortSignal) {
    const keys = new Set(names.map(keyOf))
    this.#releaseOthers(holder, keys)
    const held = [...keys].map(async (key) => {
      const known = this.#references.get(key)
      const reference = known ?? { ...(await this.#read(key, signal)), holders: new Set<Key>() }
      // Another holder may have been faster with the same object.
      const kept = this.#references.get(key) ?? reference
      this.#references.set(key, kept)
      kept.holders.add(holder)
      return [key, kept.object] as const
    })
    return new Map(await Promise.all(held))
  }

  release(holder: Key): void {
    this.#releaseOthers(holder, new Set())
  }

  onChange(handler: (holders: readonly Key[]) => void): void {
    this.#handlers.push(handler)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    while (!signal.aborted) {
      await clock.sleep(tickMs, signal).catch(() => undefined)
      for (const [key, reference] of [...this.#references]) {
        if (signal.aborted) return
        if (reference.due <= clock.monotonic()) await this.#refresh(key, reference, signal)
      }
    }
  }

  async #refresh(key: Key, reference: Reference<T>, signal: AbortSignal): Promise<void> {
    const before = reference.object?.metadata.resourceVersion
    try {
      Object.assign(reference, await this.#read(key, signal))
    } catch (error) {
      if (signal.aborted) return
      reference.due = this.#options.clock.monotonic() + this.#afterMs(undefined)
      const { logger, type } = this.#options
      logger.warn({ kind: type.kind, ...nameOf(key), err: error }, 'Could not read the object')
    }
    if (before === reference.object?.metadata.resourceVersion) return
    for (const handler of this.#handlers) handler([...reference.holders])
  }

  async #read(key: Key, signal: AbortSignal | undefined): Promise<Omit<Reference<T>, 'holders'>> {
    const { client, type, clock } = this.#options
    const object = await client.get(type, nameOf(key), { signal }).catch((error: unknown) => {
      if (isKubeError(error, 'notFound')) return undefined
      throw error
    })
    return { object, due: clock.monotonic() + this.#afterMs(object) }
  }

  #afterMs(object: T | undefined): number {
    const { presentMs = 300_000, missingMs = 30_000, random } = this.#options
    return jittered(object ? presentMs : missingMs, 0.1, random)
  }

  #releaseOthers(holder: Key, keep: ReadonlySet<Key>): void {
    for (const key of this.#heldBy.get(holder) ?? []) {
      const holders = this.#references.get(key)?.holders
      if (keep.has(key) || !holders?.delete(holder)) continue
      if (holders.size === 0) this.#references.delete(key)
    }
    if (keep.size > 0) this.#heldBy.set(holder, keep)
    else this.#heldBy.delete(holder)
  }
}
