import { createInformer } from '../../../src/kubernetes/runtime/cache/informer.ts'
import { type KubeObject, keyOf } from '../../../src/kubernetes/runtime/objects/resource.ts'
import { wellKnown } from '../../../src/kubernetes/runtime/objects/well-known.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { clientFor } from '../../../test/cluster/kubernetes/runtime/support/client-for.ts'

/** Says when Deployments of one namespace change, by a watch: asking for them in a loop would load the API server. */
export class DeploymentClock implements AsyncDisposable {
  readonly #informer
  readonly #ended = new AbortController()
  readonly #waiting = new Map<string, (at: number) => void>()
  readonly #running: Promise<void>

  constructor(kubeconfig: string, namespace: string) {
    this.#informer = createInformer<KubeObject>({
      client: clientFor(kubeconfig),
      type: wellKnown.deployment,
      namespaces: [namespace],
      clock: systemClock,
      random: Math.random,
      logger: createLogger({ level: 'silent' }),
    })
    this.#informer.onChange(({ object, previous }) => {
      if (object.metadata.generation === previous?.metadata.generation) return
      const key = keyOf(object.metadata)
      this.#waiting.get(key)?.(performance.now())
      this.#waiting.delete(key)
    })
    this.#running = this.#informer.run(this.#ended.signal)
  }

  /** Resolves when the watch is open. */
  get ready(): Promise<void> {
    return this.#informer.synced
  }

  /** Resolves with `performance.now()` at the next generation of a Deployment. */
  next(key: string): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>()
    this.#waiting.set(key, resolve)
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort()
    await this.#running
  }
}
