import { describe, expect, vi } from 'vitest'
import type { Informer } from '../../../../src/kubernetes/runtime/cache/informer.ts'
import type { KubeObject } from '../../../../src/kubernetes/runtime/objects/resource.ts'
import type { ConfigMap } from '../../../../src/kubernetes/runtime/objects/well-known.ts'
import type { ApiFault } from '../../support/api-faults.ts'
import { configMap, configMaps, type Place, patience, test } from './support/operator.ts'

/** Name, uid and version of each object. */
const versions = (objects: Iterable<KubeObject>): string[] =>
  [...objects]
    .map(({ metadata: { name, uid, resourceVersion } }) => `${name} ${uid} ${resourceVersion}`)
    .toSorted()

/** Creates, changes and deletes what the informer follows. */
async function changeObjects({ others, namespace }: Place, round: string): Promise<void> {
  for (const name of ['a', 'b', 'c', 'd']) {
    await others.apply(configMaps, configMap(namespace, { round }, name))
  }
  await others.delete(configMaps, { namespace, name: 'b' })
  await others.apply(configMaps, configMap(namespace, { round, more: 'x' }, 'a'))
}

async function expectEqual(
  { others, namespace }: Place,
  informer: Informer<ConfigMap>,
): Promise<void> {
  const selection = { namespace, labelSelector: 'app=kube-test' }
  await vi.waitFor(async () => {
    const { items } = await others.list(configMaps, selection)
    expect(versions(informer.store.values())).toEqual(versions(items))
  }, patience)
}

describe('on a real API server, the cache', () => {
  test.for<{ fault: ApiFault }>([
    { fault: { kind: 'gone' } },
    { fault: { kind: 'garbage line' } },
    { fault: { kind: 'half-open' } },
    { fault: { kind: 'end' } },
    { fault: { kind: 'duplicate' } },
    { fault: { kind: 'reorder' } },
  ])('is equal to the server again after $fault.kind', async ({ fault }, { place }) => {
    await using informer = place.follow({ idleMs: 2_000 })
    await informer.synced
    await changeObjects(place, 'first')
    const planned = place.proxy.fail(fault, { verbs: ['watch'] })
    await changeObjects(place, 'second')
    planned.heal()
    await changeObjects(place, 'third')

    await expectEqual(place, informer)
  })

  test('is equal to the server again after an outage', async ({ place }) => {
    await using informer = place.follow()
    await informer.synced
    await changeObjects(place, 'first')
    await expectEqual(place, informer)
    place.proxy.refuse()
    await changeObjects(place, 'second')
    place.proxy.accept()

    await expectEqual(place, informer)
    expect(place.proxy.calls.filter(({ verb }) => verb === 'list')).toHaveLength(1)
  })

  test('resumes a watch that the server ended, without a new list', async ({ place }) => {
    await using informer = place.follow()
    await informer.synced
    await changeObjects(place, 'first')
    await expectEqual(place, informer)
    place.proxy.fail({ kind: 'end' }, { verbs: ['watch'] }).heal()
    await changeObjects(place, 'second')

    await expectEqual(place, informer)
    expect(place.proxy.calls.filter(({ verb }) => verb === 'list')).toHaveLength(1)
  })

  test('holds frozen objects without managed fields', async ({ place }) => {
    await using informer = place.follow()
    await changeObjects(place, 'first')
    await expectEqual(place, informer)
    const [object] = [...informer.store.values()]

    expect(object?.metadata).not.toHaveProperty('managedFields')
    expect(() => Object.assign(object?.metadata ?? {}, { name: 'x' })).toThrow(TypeError)
  })
})
