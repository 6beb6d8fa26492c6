import { describe, expect, vi } from 'vitest'
import { createApplier } from '../../../../src/kubernetes/runtime/apply/apply.ts'
import {
  addFinalizer,
  removeFinalizer,
} from '../../../../src/kubernetes/runtime/apply/finalizers.ts'
import { createStatusWriter } from '../../../../src/kubernetes/runtime/apply/status-writer.ts'
import { createDiscovery } from '../../../../src/kubernetes/runtime/client/discovery.ts'
import { createController } from '../../../../src/kubernetes/runtime/controller/controller.ts'
import { settled } from '../../../../src/kubernetes/runtime/controller/outcome.ts'
import { any } from '../../../../src/kubernetes/runtime/controller/predicates.ts'
import { createEventRecorder } from '../../../../src/kubernetes/runtime/events/events.ts'
import { noKubeMetrics } from '../../../../src/kubernetes/runtime/metrics/metrics.ts'
import { keyOf, type ResourceType } from '../../../../src/kubernetes/runtime/objects/resource.ts'
import { type AnyObject, wellKnown } from '../../../../src/kubernetes/runtime/objects/well-known.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { widgets as widgetDefinition } from '../../support/widgets.ts'
import { configMap, configMaps, patience, silentLogger, test } from './support/operator.ts'

const hashAnnotation = 'kube-test.dev/hash'

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  )

describe('on a real API server, the client', () => {
  test('creates, changes and reads by server-side apply', async ({ place }) => {
    const { client, namespace } = place
    const desired = configMap(namespace, { a: '1' })
    const first = await client.apply(configMaps, desired)
    const second = await client.apply(configMaps, { ...desired, data: { b: '2' } })

    expect([first.created, second.created]).toEqual([true, false])
    expect((await client.get(configMaps, desired.metadata)).data).toEqual({ b: '2' })
  })

  test('takes a field by force, or conflicts without, and leaves the fields of others', async ({
    place,
  }) => {
    const { client, others, namespace } = place
    const desired = configMap(namespace, { mine: '1' })
    await client.apply(configMaps, desired)
    const theirs = { ...desired, data: { mine: 'stolen', theirs: 'x' } }

    expect(await failure(others.apply(configMaps, theirs, { force: false }))).toMatchObject({
      kind: 'conflict',
    })
    await others.apply(configMaps, theirs)
    await client.apply(configMaps, desired)
    expect((await client.get(configMaps, desired.metadata)).data).toEqual({
      mine: '1',
      theirs: 'x',
    })
  })

  test('never creates an object when it names a uid', async ({ place }) => {
    const { client, namespace } = place
    const desired = configMap(namespace, {})
    const { object } = await client.apply(configMaps, desired)
    const { uid } = object.metadata
    const other = '00000000-0000-0000-0000-000000000000'
    const named = { ...desired, metadata: { ...desired.metadata, uid } }

    expect(
      await failure(client.delete(configMaps, desired.metadata, { uid: other })),
    ).toMatchObject({ kind: 'conflict' })
    expect(await client.delete(configMaps, desired.metadata, { uid })).toBe(true)
    expect(await client.delete(configMaps, desired.metadata, { uid })).toBe(false)
    expect(await failure(client.apply(configMaps, named))).toMatchObject({ kind: 'conflict' })
    expect(await failure(client.get(configMaps, desired.metadata))).toMatchObject({
      kind: 'notFound',
    })
  })

  test('reports an unknown field as invalid, and a write over another version as conflict', async ({
    place,
  }) => {
    const { client, namespace } = place
    const desired = configMap(namespace, {})
    await client.apply(configMaps, desired)
    const merge = { metadata: { resourceVersion: '1' }, data: { a: '1' } }

    expect(await failure(client.apply(configMaps, { ...desired, colour: 'red' }))).toMatchObject({
      kind: 'invalid',
    })
    expect(await failure(client.patch(configMaps, desired.metadata, merge))).toMatchObject({
      kind: 'conflict',
    })
    expect(await failure(client.create(configMaps, desired))).toMatchObject({
      kind: 'conflict',
      reason: 'AlreadyExists',
    })
  })

  test('reads 600 objects in pages as one list', { timeout: 240_000 }, async ({ place }) => {
    const { others, client, namespace } = place
    const names = Array.from({ length: 600 }, (_, index) => `map-${index}`)
    const left = [...names]
    const maker = async () => {
      for (let name = left.pop(); name; name = left.pop()) {
        await others.create(configMaps, configMap(namespace, {}, name))
      }
    }
    await Promise.all(Array.from({ length: 16 }, maker))
    const { items } = await client.list(configMaps, { namespace, labelSelector: 'app=kube-test' })

    expect(new Set(items.map(({ metadata }) => metadata.name))).toEqual(new Set(names))
    expect(place.proxy.calls.filter(({ verb }) => verb === 'list')).toHaveLength(12)
  })

  test('finds out which kinds the server serves', async ({ place }) => {
    const nothing: ResourceType = {
      group: 'no.such',
      version: 'v1',
      plural: 'x',
      kind: 'X',
      namespaced: true,
    }
    const { client } = place
    const random = () => 0.5
    const types = [wellKnown.deployment, nothing]
    const discovery = createDiscovery({
      client,
      types,
      clock: systemClock,
      random,
      logger: silentLogger,
    })
    const stop = new AbortController()
    const running = discovery.run(stop.signal)
    await discovery.answered
    stop.abort()
    await running

    expect([discovery.serves(wellKnown.deployment), discovery.serves(nothing)]).toEqual([
      true,
      false,
    ])
  })
})

describe('on a real API server, an operator', () => {
  test('makes no call in a reconcile that finds nothing to do, and reverts changes of others', async ({
    place,
  }) => {
    const { client, others, namespace, proxy } = place
    await using informer = place.follow()
    const applier = createApplier({ client, hashAnnotation })
    const parent = configMap(namespace, { size: '1' }, 'parent')
    const results: string[] = []
    const controller = createController({
      name: 'maps',
      primary: informer,
      when: any(),
      reconcile: async ({ key, name, signal }) => {
        const owner = informer.store.get(key)
        if (!owner || name.name !== 'parent') return settled
        const desired = configMap(namespace, { size: owner.data?.['size'] ?? '' }, 'child')
        const live = informer.store.get(keyOf(desired.metadata))
        await applier.apply({ type: configMaps, desired, live, owner, signal })
        return settled
      },
      clock: systemClock,
      random: () => 0.5,
      logger: silentLogger,
      metrics: {
        ...noKubeMetrics,
        reconciles: { inc: ({ result = '' }) => results.push(result) },
      },
    })
    controller.watch(informer, { to: () => [`${namespace}/parent`] })
    const stop = new AbortController()
    const running = controller.run({ stop: stop.signal })
    await others.apply(configMaps, parent)
    const child = { namespace, name: 'child' }
    await vi.waitFor(
      () => expect(informer.store.get(keyOf(child))?.data).toEqual({ size: '1' }),
      patience,
    )

    await vi.waitFor(() => expect(results.length).toBeGreaterThan(1), patience)
    proxy.forget()
    results.length = 0
    controller.enqueue(`${namespace}/parent`)
    await vi.waitFor(() => expect(results).toContain('settled'), patience)
    expect(proxy.calls.map(({ verb, path }) => `${verb} ${path}`)).toEqual([])

    await others.apply(configMaps, configMap(namespace, { size: '9', theirs: 'x' }, 'child'))
    const repaired = { size: '1', theirs: 'x' }
    await vi.waitFor(
      () => expect(informer.store.get(keyOf(child))?.data).toEqual(repaired),
      patience,
    )
    expect(proxy.calls.filter(({ verb }) => verb === 'patch')).toHaveLength(1)
    stop.abort()
    await running
  })

  test('records events, and counts repetitions', async ({ place }) => {
    const { client, namespace } = place
    const { object } = await client.apply(configMaps, configMap(namespace, {}))
    const names = { controller: 'kube-test.dev/operator', instance: 'pod-0' }
    const recorder = createEventRecorder({
      client,
      ...names,
      clock: systemClock,
      random: () => 0.5,
      logger: silentLogger,
    })
    const facts = {
      type: 'Warning',
      reason: 'Broken',
      action: 'Look',
      note: 'It is broken',
    } as const
    for (const _ of [1, 2, 3]) recorder.record(object, facts)
    await recorder.flush()
    const listed = (await client.read(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`)) as {
      items: object[]
    }

    expect(listed.items).toMatchObject([
      { ...facts, series: { count: 3 }, regarding: { name: object.metadata.name } },
    ])
  })

  test('writes a status once, and leaves the finalizers of others', async ({ place }) => {
    const { client, others, namespace } = place
    const group = `${namespace}.kube-test.dev`
    const widgets: ResourceType<AnyObject> = {
      group,
      version: 'v1',
      plural: 'widgets',
      kind: 'Widget',
      namespaced: true,
    }
    const definitions: ResourceType = {
      group: 'apiextensions.k8s.io',
      version: 'v1',
      plural: 'customresourcedefinitions',
      kind: 'CustomResourceDefinition',
      namespaced: false,
    }
    await others.create(definitions, widgetDefinition(group))
    const metadata = { name: 'one', namespace }
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata, spec: { replicas: 1 } }
    await vi.waitFor(
      () =>
        others.apply(widgets, {
          ...widget,
          metadata: { ...metadata, finalizers: ['theirs.dev/x'] },
        }),
      patience,
    )

    const live = await client.get(widgets, metadata)
    const writer = createStatusWriter({ client })
    expect(await writer.write({ type: widgets, live, status: { replicas: 1 } })).toBe(true)
    const written = await client.get(widgets, metadata)
    expect(written.status).toEqual({ replicas: 1 })
    expect(await writer.write({ type: widgets, live: written, status: { replicas: 1 } })).toBe(
      false,
    )

    const finalizer = 'kube-test.dev/clean-up'
    const held = await addFinalizer({ client, type: widgets, live: written, finalizer })
    expect(held.metadata.finalizers).toEqual(['theirs.dev/x', finalizer])
    expect(held.spec).toEqual({ replicas: 1 })
    await others.delete(widgets, metadata)
    const left = await removeFinalizer({
      client,
      type: widgets,
      live: await client.get(widgets, metadata),
      finalizer,
    })
    expect(left.metadata.finalizers).toEqual(['theirs.dev/x'])
    await others.patch(widgets, metadata, { metadata: { finalizers: [] } })
    expect(
      await failure(addFinalizer({ client, type: widgets, live: written, finalizer })),
    ).toMatchObject({ kind: 'conflict' })
    await others.delete(definitions, { name: `widgets.${group}` })
  })
})
