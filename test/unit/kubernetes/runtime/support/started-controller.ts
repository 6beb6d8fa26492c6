import { expect, vi } from 'vitest'
import type {
  ChangeHandler,
  Informer,
} from '../../../../../src/kubernetes/runtime/cache/informer.ts'
import { type Change, ObjectStore } from '../../../../../src/kubernetes/runtime/cache/store.ts'
import {
  type ControllerOptions,
  createController,
  type Reconcile,
} from '../../../../../src/kubernetes/runtime/controller/controller.ts'
import { primaryChanged } from '../../../../../src/kubernetes/runtime/controller/predicates.ts'
import { noKubeMetrics } from '../../../../../src/kubernetes/runtime/metrics/metrics.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { type Thing, thing, things } from './objects.ts'
import { half, silentLogger } from './silence.ts'

export const patience = { timeout: 120_000, interval: 5 }

/** An informer that the test fills. */
export function newInformer(...objects: readonly Thing[]) {
  const store = new ObjectStore<Thing>()
  const handlers: ChangeHandler<Thing>[] = []
  const synced = Promise.withResolvers<void>()
  const report = (change: Change<Thing> | undefined, initial: boolean) => {
    if (change) for (const handler of handlers) handler(change, initial)
  }
  const informer: Informer<Thing> = {
    type: things,
    store,
    synced: synced.promise,
    answered: synced.promise,
    isRefused: () => false,
    sees: () => true,
    onChange: (handler) => {
      handlers.push(handler)
    },
    run: async () => undefined,
  }
  return {
    informer,
    sync() {
      for (const object of objects) report(store.put(object), true)
      synced.resolve()
    },
    put: (object: Thing) => report(store.put(object), false),
    remove: (key: string) => report(store.delete(key), false),
  }
}

/** A controller of things on a clock that the test moves, with a record of its reconciles. */
export function startController(
  reconcile: Reconcile,
  {
    objects = [thing('a')],
    ...options
  }: Partial<ControllerOptions<Thing>> & { objects?: readonly Thing[] } = {},
) {
  const clock = new FakeClock()
  const source = newInformer(...objects)
  const [stop, lost] = [new AbortController(), new AbortController()]
  const keys: string[] = []
  const results: string[] = []
  const controller = createController<Thing>({
    name: 'things',
    primary: source.informer,
    when: primaryChanged('test.dev/'),
    reconcile: (request) => {
      keys.push(request.key)
      return reconcile(request)
    },
    clock,
    random: half,
    logger: silentLogger,
    metrics: {
      ...noKubeMetrics,
      // By 0 a series starts.
      reconciles: { inc: ({ result = '' }, by = 1) => by > 0 && results.push(result) },
    },
    ...options,
  })
  const run = () => controller.run({ stop: stop.signal, lost: lost.signal })
  return {
    ...source,
    clock,
    controller,
    /** The key of each reconcile that started. */
    keys,
    /** The result of each reconcile that ended. */
    results,
    run,
    stop: () => stop.abort(),
    lose: () => lost.abort(),
    /** Fills the cache and runs the controller until `count` reconciles have ended. */
    async begin(count: number) {
      source.sync()
      const running = run()
      await vi.waitFor(() => expect(results.length).toBeGreaterThanOrEqual(count), patience)
      return { running }
    },
  }
}
