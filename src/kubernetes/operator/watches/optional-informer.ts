import type { Informer } from '../../runtime/cache/informer.ts'
import type { Discovery } from '../../runtime/client/discovery.ts'
import type { KubeObject } from '../../runtime/objects/resource.ts'

export interface OptionalInformerOptions<T extends KubeObject> {
  readonly informer: Informer<T>
  readonly kinds: Discovery
  /** Called when the kind is served and its cache is filled. */
  readonly onServed: () => void
}

/**
 * A cache of a kind that the cluster may not serve. Until it does, the cache is empty and counts as synced. When
 * the kind disappears again the cache keeps its content; `kinds.serves` is false then.
 */
export function createOptionalInformer<T extends KubeObject>({
  informer,
  kinds,
  onServed,
}: OptionalInformerOptions<T>): Informer<T> {
  const { type, store, onChange, isRefused, sees, answered } = informer
  const isServed = () => kinds.serves(type)
  const appeared = new Promise<void>((resolve) => {
    kinds.onChange(() => {
      if (isServed()) resolve()
    })
  })
  return {
    type,
    store,
    onChange,
    isRefused,
    sees,
    answered,
    synced: kinds.answered.then(() => (isServed() ? informer.synced : undefined)),
    async run(signal) {
      const aborted = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
        if (signal.aborted) resolve()
      })
      await Promise.race([appeared, aborted])
      if (signal.aborted) return
      void informer.synced.then(onServed)
      await informer.run(signal)
    },
  }
}
