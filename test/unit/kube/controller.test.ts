import { describe, expect, test, vi } from 'vitest'
import { CircuitBreaker } from '../../../src/kube/circuit-breaker.ts'
import type { ControllerOptions, Reconcile } from '../../../src/kube/controller.ts'
import { createController } from '../../../src/kube/create-controller.ts'
import type { ChangeHandler, Informer } from '../../../src/kube/informer.ts'
import { KubeError, type KubeErrorKind } from '../../../src/kube/kube-error.ts'
import { again, failed, settled, stuck } from '../../../src/kube/outcome.ts'
import { ownerKeys } from '../../../src/kube/owner-keys.ts'
import { primaryChanged } from '../../../src/kube/predicates.ts'
import type { Ended } from '../../../src/kube/reconcile-attempt.ts'
import { controllerReference } from '../../../src/kube/resource.ts'
import { type Change, ObjectStore } from '../../../src/kube/store.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { type Thing, thing, things } from './support/objects.ts'
import { half, silentLogger } from './support/silence.ts'

const patience = { timeout: 10_000, interval: 5 }

/** An informer whose server is the test. */
function newInformer(...objects: readonly Thing[]) {
  const store = new ObjectStore<Thing>()
  const handlers: ChangeHandler<Thing>[] = []
  const synced = Promise.withResolvers<void>()
  const tell = (change: Change<Thing> | undefined, initial: boolean) => {
    if (change) for (const handler of handlers) handler(change, initial)
  }
  const informer: Informer<Thing> = {
    type: things,
    store,
    synced: synced.promise,
    onChange: (handler) => {
      handlers.push(handler)
    },
    run: async () => undefined,
  }
  return {
    informer,
    sync() {
      for (const object of objects) tell(store.put(object), true)
      synced.resolve()
    },
    put: (object: Thing) => tell(store.put(object), false),
    remove: (key: string) => tell(store.delete(key), false),
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
  const ended: string[] = []
  const controller = createController<Thing>({
    name: 'things',
    primary: source.informer,
    when: primaryChanged('test.dev/'),
    reconcile,
    clock,
    random: half,
    logger: silentLogger,
    onEnded: (key: string, { result }: Ended) => ended.push(`${key} ${result}`),
    ...options,
  })
  const run = () => controller.run({ stop: stop.signal, lost: lost.signal, graceMs: 50 })
  return {
    ...source,
    clock,
    controller,
    ended,
    run,
    stop: () => stop.abort(),
    lose: () => lost.abort(),
    /** Runs it over a filled cache until it has ended `count` reconciles. */
    async begin(count: number) {
      source.sync()
      const running = run()
      await vi.waitFor(() => expect(ended.length).toBeGreaterThanOrEqual(count), patience)
      return { running }
    },
  }
}

describe('the controller', () => {
  test('reconciles what was in its cache before it was made', async () => {
    const source = newInformer(thing('a'), thing('b'))
    source.sync()
    const reconciled: string[] = []
    const started = start(
      async ({ key }) => {
        reconciled.push(key)
        return settled
      },
      { primary: source.informer },
    )
    const running = started.run()
    await vi.waitFor(() => expect(reconciled.toSorted()).toEqual(['ns/a', 'ns/b']), patience)
    started.stop()
    await running
  })

  test('reconciles nothing before every cache is filled', async () => {
    const reconciled: string[] = []
    const started = start(async ({ key }) => {
      reconciled.push(key)
      return settled
    })
    const children = newInformer()
    started.controller.watch(children.informer, { to: ownerKeys(things) })
    started.sync()
    const running = started.run()
    await started.clock.advance(60_000)
    expect(reconciled).toEqual([])
    children.sync()
    await vi.waitFor(() => expect(reconciled).toEqual(['ns/a']), patience)
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
      what: 'settled comes back with the resync',
      outcome: settled,
      result: 'settled',
      nextMs: 300_000,
    },
    {
      what: 'stuck comes back with the resync',
      outcome: stuck('No', 'no'),
      result: 'stuck',
      nextMs: 300_000,
    },
    {
      what: 'again comes back when it said',
      outcome: again(7_000, 'wait'),
      result: 'again',
      nextMs: 7_000,
    },
    {
      what: 'failed comes back by its class',
      outcome: failed(new Error('x'), 'slow'),
      result: 'error',
      nextMs: 1_000,
    },
  ])('$what', async ({ outcome, result, nextMs }) => {
    const retryClasses = {
      kubernetes: { baseMs: 200, maxMs: 60_000 },
      slow: { baseMs: 2_000, maxMs: 300_000 },
    }
    const started = start(async () => outcome, { retryClasses })
    const { running } = await started.begin(1)
    await started.clock.advance(nextMs - 1)
    expect(started.ended).toEqual([`ns/a ${result}`])
    await started.clock.advance(1)
    expect(started.ended).toEqual([`ns/a ${result}`, `ns/a ${result}`])
    started.stop()
    await running
  })

  test.each<{ error: Error; result: string; returns: boolean }>([
    { error: problem('conflict'), result: 'conflict', returns: true },
    { error: problem('unavailable'), result: 'error', returns: true },
    { error: problem('forbidden'), result: 'terminal', returns: true },
    { error: problem('invalid'), result: 'terminal', returns: false },
    { error: new TypeError('bug'), result: 'panic', returns: true },
    { error: new Error('anything'), result: 'error', returns: true },
  ])('calls $error $result', async ({ error, result, returns }) => {
    const started = start(async () => {
      throw error
    })
    const { running } = await started.begin(1)
    await started.clock.advance(100)
    expect(started.ended[0]).toBe(`ns/a ${result}`)
    expect(started.ended.length > 1).toBe(returns)
    started.stop()
    await running
  })

  test('waits as long as the server asked', async () => {
    const throttled = new KubeError({ kind: 'throttled', message: 'x', retryAfterMs: 5_000 })
    const started = start(async () => {
      throw throttled
    })
    const { running } = await started.begin(1)
    await started.clock.advance(4_999)
    expect(started.ended).toHaveLength(1)
    await started.clock.advance(1)
    expect(started.ended).toHaveLength(2)
    started.stop()
    await running
  })

  test('hears a new spec, a deletion and its own marks, not status and not what others mark', async () => {
    const started = start(async () => settled, { resyncMs: 0 })
    const { running } = await started.begin(1)
    const changes: [Parameters<typeof thing>[1], boolean][] = [
      [{ generation: 1 }, true],
      [{ generation: 1, annotations: { 'other/x': '1' } }, false],
      [{ generation: 1, annotations: { 'test.dev/pause': '1' } }, true],
      [{ generation: 2, annotations: { 'test.dev/pause': '1' } }, true],
      [{ generation: 2, annotations: { 'test.dev/pause': '1' }, deletionTimestamp: 'now' }, true],
    ]
    for (const [index, [metadata, heard]] of changes.entries()) {
      const before = started.ended.length
      started.put(thing('a', { ...metadata, resourceVersion: `${index + 2}` }))
      await started.clock.advance(1)
      expect(started.ended.length - before, `change ${index}`).toBe(heard ? 1 : 0)
    }
    started.remove('ns/a')
    await started.clock.advance(1)
    expect(started.ended).toHaveLength(6)
    started.stop()
    await running
  })

  test('reconciles the owner of a child, and its former owner too', async () => {
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

    expect(started.ended.toSorted()).toEqual(['ns/one settled', 'ns/one settled', 'ns/two settled'])
    started.stop()
    await running
  })

  test('forgets an object that is gone', async () => {
    const started = start(async () => settled)
    const { running } = await started.begin(1)
    started.remove('ns/a')
    await started.clock.advance(1)
    const count = started.ended.length
    await started.clock.advance(3_600_000)

    expect(started.ended).toHaveLength(count)
    started.stop()
    await running
  })

  test('ends a reconcile that takes too long, though it does not listen', async () => {
    const started = start(() => new Promise(() => undefined), { timeoutMs: 20 })
    const { running } = await started.begin(1)

    expect(started.ended[0]).toBe('ns/a timeout')
    started.stop()
    await running
  })

  test('lets what runs come to its end when it is stopped, and aborts it when it is lost', async () => {
    for (const how of ['stop', 'lose'] as const) {
      let aborted = false
      const begun = Promise.withResolvers<void>()
      const release = Promise.withResolvers<void>()
      const started = start(async ({ signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true
          release.resolve()
        })
        begun.resolve()
        await release.promise
        return settled
      })
      started.sync()
      const running = started.run()
      await begun.promise
      started[how]()
      if (how === 'stop') release.resolve()
      await running

      expect([how, aborted, started.ended]).toEqual(
        how === 'stop' ? [how, false, ['ns/a settled']] : [how, true, ['ns/a aborted']],
      )
    }
  })

  test('holds back an object that never comes to rest, and nothing else', async () => {
    const clock = new FakeClock()
    const breaker = new CircuitBreaker({ clock, burst: 5 })
    const started = start(async ({ key }) => (key === 'ns/a' ? again(1, 'never done') : settled), {
      clock,
      breaker,
      objects: [thing('a'), thing('b')],
      resyncMs: 0,
    })
    started.sync()
    const running = started.run()
    await clock.advance(1_000)
    const hot = started.ended.filter((end) => end.startsWith('ns/a')).length
    await clock.advance(200_000)

    expect(hot).toBeLessThanOrEqual(6)
    expect(started.ended.filter((end) => end.startsWith('ns/a'))).toHaveLength(hot)
    expect(started.ended).toContain('ns/b settled')
    started.stop()
    await running
  })

  test('holds nothing back that its owner changed since', async () => {
    const clock = new FakeClock()
    const breaker = new CircuitBreaker({ clock, burst: 5 })
    const started = start(async () => again(1, 'never done'), {
      clock,
      breaker,
      objects: [thing('a', { generation: 1 })],
      resyncMs: 0,
    })
    started.sync()
    const running = started.run()
    await clock.advance(1_000)
    const before = started.ended.length
    started.put(thing('a', { generation: 2, resourceVersion: '2' }))
    await clock.advance(1_000)

    expect(started.ended.length).toBeGreaterThan(before)
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
