import { describe, expect, test, vi } from 'vitest'
import {
  type ControllerOptions,
  createController,
  type Reconcile,
} from '../../../src/kube/controller.ts'
import type { ChangeHandler, Informer } from '../../../src/kube/informer.ts'
import { KubeError, type KubeErrorKind } from '../../../src/kube/kube-error.ts'
import { createKubeMetrics, noKubeMetrics } from '../../../src/kube/metrics.ts'
import { again, settled, stuck } from '../../../src/kube/outcome.ts'
import { controllerReference, ownerKeys } from '../../../src/kube/owners.ts'
import { primaryChanged } from '../../../src/kube/predicates.ts'
import { type Change, ObjectStore } from '../../../src/kube/store.ts'
import { createInstruments } from '../../../src/telemetry/instruments.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { type Thing, thing, things } from './support/objects.ts'
import { half, silentLogger } from './support/silence.ts'

const patience = { timeout: 10_000, interval: 5 }
const many = ['b', 'c', 'd', 'e', 'f'].map((name) => thing(name))

/** An informer that the test fills. */
function newInformer(...objects: readonly Thing[]) {
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

function start(
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

describe('the controller', () => {
  test('reconciles the objects that were in its cache before it existed', async () => {
    const source = newInformer(thing('a'), thing('b'))
    source.sync()
    const started = start(async () => settled, { primary: source.informer })
    const running = started.run()
    await vi.waitFor(() => expect(started.keys.toSorted()).toEqual(['ns/a', 'ns/b']), patience)
    started.stop()
    await running
  })

  test('reconciles nothing before every cache is filled', async () => {
    const started = start(async () => settled)
    const children = newInformer()
    started.controller.watch(children.informer, { to: ownerKeys(things) })
    started.sync()
    const running = started.run()
    await started.clock.advance(60_000)
    expect(started.keys).toEqual([])
    children.sync()
    await vi.waitFor(() => expect(started.keys).toEqual(['ns/a']), patience)
    started.stop()
    await running
  })

  test.each<{
    what: string
    outcome: Awaited<ReturnType<Reconcile>>
    result: string
    nextMs: number
  }>([
    {
      what: 'reconciles a settled object at the resync',
      outcome: settled,
      result: 'settled',
      nextMs: 300_000,
    },
    {
      what: 'reconciles a stuck object at the resync',
      outcome: stuck('No', 'no'),
      result: 'stuck',
      nextMs: 300_000,
    },
    {
      what: 'reconciles again after the requested time',
      outcome: again(7_000, 'wait'),
      result: 'again',
      nextMs: 7_000,
    },
  ])('$what', async ({ outcome, result, nextMs }) => {
    const started = start(async () => outcome)
    const { running } = await started.begin(1)
    await started.clock.advance(nextMs - 1)
    expect(started.results).toEqual([result])
    await started.clock.advance(1)
    expect(started.results).toEqual([result, result])
    started.stop()
    await running
  })

  test.each<{ error: Error; result: string; isRetried: boolean }>([
    { error: problem('conflict'), result: 'conflict', isRetried: true },
    { error: problem('unavailable'), result: 'error', isRetried: true },
    { error: problem('forbidden'), result: 'terminal', isRetried: true },
    { error: problem('invalid'), result: 'terminal', isRetried: false },
    { error: new TypeError('bug'), result: 'panic', isRetried: true },
    { error: new Error('anything'), result: 'error', isRetried: true },
  ])('counts $error as $result', async ({ error, result, isRetried }) => {
    const started = start(async () => {
      throw error
    })
    const { running } = await started.begin(1)
    await started.clock.advance(100)
    expect(started.results[0]).toBe(result)
    expect(started.results.length > 1).toBe(isRetried)
    started.stop()
    await running
  })

  test('waits for the Retry-After of the server', async () => {
    const throttled = new KubeError({ kind: 'throttled', message: 'x', retryAfterMs: 5_000 })
    const started = start(async () => {
      throw throttled
    })
    const { running } = await started.begin(1)
    await started.clock.advance(4_999)
    expect(started.results).toHaveLength(1)
    await started.clock.advance(1)
    expect(started.results).toHaveLength(2)
    started.stop()
    await running
  })

  test('reconciles on a new spec, a deletion and its own annotations, not on status or other annotations', async () => {
    const started = start(async () => settled, { resyncMs: 0 })
    const { running } = await started.begin(1)
    const changes: [Parameters<typeof thing>[1], boolean][] = [
      [{ generation: 1 }, true],
      [{ generation: 1, annotations: { 'other/x': '1' } }, false],
      [{ generation: 1, annotations: { 'test.dev/pause': '1' } }, true],
      [{ generation: 2, annotations: { 'test.dev/pause': '1' } }, true],
      [{ generation: 2, annotations: { 'test.dev/pause': '1' }, deletionTimestamp: 'now' }, true],
    ]
    for (const [index, [metadata, isRelevant]] of changes.entries()) {
      const before = started.results.length
      started.put(thing('a', { ...metadata, resourceVersion: `${index + 2}` }))
      await started.clock.advance(1)
      expect(started.results.length - before, `change ${index}`).toBe(isRelevant ? 1 : 0)
    }
    started.remove('ns/a')
    await started.clock.advance(1)
    expect(started.results).toHaveLength(6)
    started.stop()
    await running
  })

  test('reconciles the owner of a child, and its former owner', async () => {
    const started = start(async () => settled, { objects: [], resyncMs: 0 })
    const children = newInformer()
    started.controller.watch(children.informer, { to: ownerKeys(things) })
    children.sync()
    const { running } = await started.begin(0)
    const childOf = (owner: string, version: string) =>
      thing('child', {
        resourceVersion: version,
        ownerReferences: [controllerReference(thing(owner))],
      })
    children.put(childOf('one', '2'))
    await started.clock.advance(1)
    children.put(childOf('two', '3'))
    await started.clock.advance(1)

    expect(started.keys.toSorted()).toEqual(['ns/one', 'ns/one', 'ns/two'])
    expect(started.results).toEqual(['settled', 'settled', 'settled'])
    started.stop()
    await running
  })

  test('stops reconciling a deleted object', async () => {
    const started = start(async () => settled)
    const { running } = await started.begin(1)
    started.remove('ns/a')
    await started.clock.advance(1)
    const count = started.results.length
    await started.clock.advance(3_600_000)

    expect(started.results).toHaveLength(count)
    started.stop()
    await running
  })

  test('ends a reconcile that takes too long, even when it ignores its signal', async () => {
    const started = start(() => new Promise(() => undefined), { timeoutMs: 20 })
    const { running } = await started.begin(1)

    expect(started.results[0]).toBe('timeout')
    started.stop()
    await running
  })

  test('does not start an object again while a reconcile ignores its time limit', async () => {
    const release = Promise.withResolvers<void>()
    const started = start(
      async ({ key }) => {
        if (!['ns/e', 'ns/f'].includes(key)) await release.promise
        return settled
      },
      { timeoutMs: 20, objects: [thing('a'), ...many] },
    )
    // As many hang as there are workers; that the others are reconciled shows that no worker waits for them.
    const { running } = await started.begin(1 + many.length)
    started.put(thing('a', { resourceVersion: '2', generation: 2 }))
    await started.clock.advance(120_000)
    expect(started.keys.filter((key) => key === 'ns/a')).toHaveLength(1)
    expect(started.controller.isHealthy()).toBe(true)
    await started.clock.advance(500_000)
    expect(started.controller.isHealthy()).toBe(false)

    release.resolve()
    await vi.waitFor(
      () => expect(started.keys.filter((key) => key === 'ns/a').length).toBeGreaterThan(1),
      patience,
    )
    expect(started.controller.isHealthy()).toBe(true)
    started.stop()
    await running
  })

  test('lets a running reconcile finish on stop, and aborts it when the lease is lost', async () => {
    for (const how of ['stop', 'lose'] as const) {
      let aborted = false
      const entered = Promise.withResolvers<void>()
      const release = Promise.withResolvers<void>()
      const started = start(async ({ signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true
          release.resolve()
        })
        entered.resolve()
        await release.promise
        return settled
      })
      started.sync()
      const running = started.run()
      await entered.promise
      started[how]()
      if (how === 'stop') release.resolve()
      await running

      expect([how, aborted, started.results]).toEqual(
        how === 'stop' ? [how, false, ['settled']] : [how, true, ['aborted']],
      )
    }
  })

  test('holds back an object that never settles, and no other', async () => {
    const started = start(async ({ key }) => (key === 'ns/a' ? again(1, 'never done') : settled), {
      objects: [thing('a'), thing('b')],
      resyncMs: 0,
    })
    const { running } = await started.begin(2)
    await started.clock.advance(1_000)
    const hot = started.keys.filter((key) => key === 'ns/a').length
    await started.clock.advance(200_000)

    expect(hot).toBeLessThanOrEqual(101)
    expect(started.keys.filter((key) => key === 'ns/a')).toHaveLength(hot)
    expect(started.keys).toContain('ns/b')
    started.stop()
    await running
  })

  test('does not hold back an object whose spec changed since', async () => {
    const started = start(async () => again(1, 'never done'), {
      objects: [thing('a', { generation: 1 })],
      resyncMs: 0,
    })
    const { running } = await started.begin(1)
    await started.clock.advance(1_000)
    const before = started.keys.length
    started.put(thing('a', { generation: 2, resourceVersion: '2' }))
    await started.clock.advance(1_000)

    expect(started.keys.length).toBeGreaterThan(before)
    started.stop()
    await running
  })

  test('shows waiting keys, busy workers and the age of their work in each exposition', async () => {
    const instruments = createInstruments()
    const release = Promise.withResolvers<void>()
    const started = start(() => release.promise.then(() => settled), {
      objects: ['a', 'b', 'c', 'd', 'e'].map((name) => thing(name)),
      metrics: createKubeMetrics(instruments, { prefix: 'own_' }),
    })
    const samples = async () => {
      const { text } = await instruments.expose()
      return text
        .split('\n')
        .filter((line) => /^own_.*(_depth|_work_seconds|_processor_seconds|_workers){/.test(line))
        .map((line) => line.replace('own_', ''))
    }
    started.sync()
    const running = started.run()
    await vi.waitFor(() => expect(started.keys).toHaveLength(4), patience)
    await started.clock.advance(3_000)

    expect(await samples()).toEqual([
      'active_workers{controller="things"} 4',
      'workqueue_depth{name="things"} 1',
      'workqueue_unfinished_work_seconds{name="things"} 12',
      'workqueue_longest_running_processor_seconds{name="things"} 3',
    ])
    release.resolve()
    await vi.waitFor(async () => expect((await samples())[0]).toMatch(/ 0$/), patience)
    expect((await samples()).slice(1)).toEqual([
      'workqueue_depth{name="things"} 0',
      'workqueue_unfinished_work_seconds{name="things"} 0',
      'workqueue_longest_running_processor_seconds{name="things"} 0',
    ])
    started.stop()
    await running
  })

  test('reconciles as many objects at once as it has workers', async () => {
    const release = Promise.withResolvers<void>()
    const started = start(() => release.promise.then(() => settled), { objects: many, workers: 2 })
    started.sync()
    const running = started.run()
    await vi.waitFor(() => expect(started.keys).toHaveLength(2), patience)
    await started.clock.advance(1_000)

    expect(started.keys).toHaveLength(2)
    release.resolve()
    await vi.waitFor(() => expect(started.keys).toHaveLength(many.length), patience)
    started.stop()
    await running
  })

  test('never runs two reconciles of one object at once', async () => {
    let [running, most] = [0, 0]
    const started = start(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return settled
    })
    const { running: ran } = await started.begin(1)
    for (let version = 2; version < 50; version += 1) {
      started.put(thing('a', { resourceVersion: `${version}`, generation: version }))
      await started.clock.advance(1)
    }
    expect(most).toBe(1)
    started.stop()
    await ran
  })
})

function problem(kind: KubeErrorKind): KubeError {
  return new KubeError({ kind, message: kind })
}
