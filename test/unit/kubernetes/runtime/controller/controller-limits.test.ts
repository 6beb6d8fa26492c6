import { describe, expect, test, vi } from 'vitest'
import { again, settled } from '../../../../../src/kubernetes/runtime/controller/outcome.ts'
import { createKubeMetrics } from '../../../../../src/kubernetes/runtime/metrics/metrics.ts'
import { createInstruments } from '../../../../../src/platform/telemetry/metrics/instruments.ts'
import { thing } from '../support/objects.ts'
import { patience, startController } from '../support/started-controller.ts'

const many = ['b', 'c', 'd', 'e', 'f'].map((name) => thing(name))

describe('the controller, about time and workers', () => {
  test('ends a reconcile that takes too long, even when it ignores its signal', async () => {
    const started = startController(() => new Promise(() => undefined), { timeoutMs: 20 })
    const { running } = await started.begin(1)

    expect(started.results[0]).toBe('timeout')
    started.stop()
    await running
  })

  test('does not start an object again while a reconcile ignores its time limit', async () => {
    const release = Promise.withResolvers<void>()
    const started = startController(
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
      const started = startController(async ({ signal }) => {
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
    const started = startController(
      async ({ key }) => (key === 'ns/a' ? again(1, 'never done') : settled),
      {
        objects: [thing('a'), thing('b')],
        resyncMs: 0,
      },
    )
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
    const started = startController(async () => again(1, 'never done'), {
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
    const started = startController(() => release.promise.then(() => settled), {
      objects: ['a', 'b', 'c', 'd', 'e'].map((name, index) =>
        thing(name, { namespace: `ns-${index % 4}` }),
      ),
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
    const started = startController(() => release.promise.then(() => settled), {
      objects: many.map((object, index) =>
        thing(object.metadata.name, { namespace: `ns-${index}` }),
      ),
      workers: 2,
    })
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

  test('reconciles an object at once while a hundred of another namespace wait for slow endpoints', async () => {
    const release = Promise.withResolvers<void>()
    const slow = Array.from({ length: 100 }, (_, index) =>
      thing(`slow-${index}`, { namespace: 'hostile' }),
    )
    const started = startController(
      async ({ name }) => {
        if (name.namespace === 'hostile') await release.promise
        return settled
      },
      { objects: slow, workers: 16 },
    )
    started.sync()
    const running = started.run()
    await vi.waitFor(() => expect(started.keys).toHaveLength(8), patience)
    started.put(thing('a'))
    await vi.waitFor(() => expect(started.results).toEqual(['settled']), patience)
    expect(started.keys).toHaveLength(9)

    release.resolve()
    await vi.waitFor(() => expect(started.keys).toHaveLength(101), patience)
    started.stop()
    await running
  })

  test('never runs two reconciles of one object at once', async () => {
    let [running, most] = [0, 0]
    const started = startController(async () => {
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
