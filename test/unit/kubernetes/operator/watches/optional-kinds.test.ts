import { describe, expect, test, vi } from 'vitest'
import { createOptionalInformer } from '../../../../../src/kubernetes/operator/watches/optional-informer.ts'
import type { Informer } from '../../../../../src/kubernetes/runtime/cache/informer.ts'
import { ObjectStore } from '../../../../../src/kubernetes/runtime/cache/store.ts'
import { createDiscovery } from '../../../../../src/kubernetes/runtime/client/discovery.ts'
import type {
  KubeObject,
  ResourceType,
} from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { half, silentLogger } from '../../runtime/support/silence.ts'

const type: ResourceType = {
  group: 'example.com',
  version: 'v1',
  plural: 'routes',
  kind: 'Route',
  namespaced: true,
}

/** A cluster with the given answers to discovery, and a cache that is filled when it runs. */
function world(answer: () => unknown) {
  const clock = new FakeClock()
  const kinds = createDiscovery({
    client: { read: async () => answer() },
    types: [type],
    clock,
    random: half,
    logger: silentLogger,
    refreshMs: 60_000,
  })
  const { promise: synced, resolve } = Promise.withResolvers<void>()
  const run = vi.fn(async (signal: AbortSignal) => {
    resolve()
    await new Promise<void>((end) => signal.addEventListener('abort', () => end()))
  })
  const store = new ObjectStore<KubeObject>()
  const seen = { answered: synced, isRefused: () => false, sees: () => true }
  const informer: Informer = { type, store, synced, ...seen, onChange: () => undefined, run }
  const onServed = vi.fn()
  const optional = createOptionalInformer({ informer, kinds, onServed })
  const stop = new AbortController()
  const running = Promise.all([kinds.run(stop.signal), optional.run(stop.signal)])
  const end = async () => {
    stop.abort()
    await running
  }
  return { clock, kinds, optional, run, onServed, [Symbol.asyncDispose]: end }
}

const known = { resources: [{ name: 'routes' }] }
const soon = { timeout: 120_000, interval: 5 }

describe('the cache of an optional kind', () => {
  test('is empty and synced while the cluster does not serve the kind', async () => {
    await using here = world(() => ({ resources: [] }))
    await here.optional.synced
    expect(here.kinds.serves(type)).toBe(false)
    expect(here.run).not.toHaveBeenCalled()
  })

  test('is filled when the cluster serves the kind', async () => {
    await using here = world(() => known)
    await here.optional.synced
    await vi.waitFor(() => expect(here.onServed).toHaveBeenCalledOnce(), soon)
  })

  test('is filled once the cluster starts to serve the kind', async () => {
    let answer: unknown = { resources: [] }
    await using here = world(() => answer)
    await here.optional.synced
    answer = known
    await here.clock.advance(70_000)
    await vi.waitFor(() => expect(here.onServed).toHaveBeenCalledOnce(), soon)
    expect(here.kinds.serves(type)).toBe(true)
  })

  test('retries discovery while the cluster does not answer', async () => {
    let isDown = true
    await using here = world(() => {
      if (isDown) throw new Error('down')
      return known
    })
    isDown = false
    await vi.waitFor(async () => {
      await here.clock.advance(1_000)
      expect(here.onServed).toHaveBeenCalledOnce()
    }, soon)
  })
})
