import type { Discovery } from '../kube/discovery.ts'
import type { Informer } from '../kube/informer.ts'
import type { KubeObject } from '../kube/resource.ts'

export interface OptionalInformerOptions<T extends KubeObject> {
  readonly informer: Informer<T>
  readonly kinds: Discovery
  /** Called when the kind is there and its cache is filled. */
  readonly onServed: () => void
}

/**
 * A cache of a kind that the cluster may not know: empty, and filled as soon as that is known, until the
 * kind is found. One that goes again stays as it was; `kinds` tells that it is gone.
 */
export function createOptionalInformer<T extends KubeObject>({
  informer,
  kinds,
  onServed,
}: OptionalInformerOptions<T>): Informer<T> {
  const { type, store, onChange } = informer
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
