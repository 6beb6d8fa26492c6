import { describe, expect, test, vi } from 'vitest'
import {
  controllerReference,
  ownerKeys,
} from '../../../../../src/kubernetes/runtime/cache/owners.ts'
import {
  KubeError,
  type KubeErrorKind,
} from '../../../../../src/kubernetes/runtime/client/kube-error.ts'
import type { Reconcile } from '../../../../../src/kubernetes/runtime/controller/controller.ts'
import { again, settled, stuck } from '../../../../../src/kubernetes/runtime/controller/outcome.ts'
import { thing, things } from '../support/objects.ts'
import { newInformer, patience, startController } from '../support/started-controller.ts'

describe('the controller', () => {
  test('reconciles the objects that were in its cache before it existed', async () => {
    const source = newInformer(thing('a'), thing('b'))
    source.sync()
    const started = startController(async () => settled, { primary: source.informer })
    const running = started.run()
    await vi.waitFor(() => expect(started.keys.toSorted()).toEqual(['ns/a', 'ns/b']), patience)
    started.stop()
    await running
  })

  test('reconciles nothing before every cache is filled', async () => {
    const started = startController(async () => settled)
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
    const started = startController(async () => outcome)
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
    const started = startController(async () => {
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
    const started = startController(async () => {
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
    const started = startController(async () => settled, { resyncMs: 0 })
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
    const started = startController(async () => settled, { objects: [], resyncMs: 0 })
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
    const started = startController(async () => settled)
    const { running } = await started.begin(1)
    started.remove('ns/a')
    await started.clock.advance(1)
    const count = started.results.length
    await started.clock.advance(3_600_000)

    expect(started.results).toHaveLength(count)
    started.stop()
    await running
  })
})

function problem(kind: KubeErrorKind): KubeError {
  return new KubeError({ kind, message: kind })
}
