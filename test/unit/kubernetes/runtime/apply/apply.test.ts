import { describe, expect, test } from 'vitest'
import { createApplier } from '../../../../../src/kubernetes/runtime/apply/apply.ts'
import { findDrift } from '../../../../../src/kubernetes/runtime/apply/drift.ts'
import {
  type ApplyView,
  planApply,
} from '../../../../../src/kubernetes/runtime/apply/plan-apply.ts'
import { controllerReference } from '../../../../../src/kubernetes/runtime/cache/owners.ts'
import type { AppliedObject } from '../../../../../src/kubernetes/runtime/client/client.ts'
import type {
  DesiredObject,
  KubeObject,
} from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import { type Thing, thing, things } from '../support/objects.ts'

const hashAnnotation = 'test.dev/hash'
const owner = thing('owner')
const desired = (spec: Record<string, unknown> = { size: 1 }): DesiredObject => ({
  apiVersion: 'test.dev/v1',
  kind: 'Thing',
  metadata: { name: 'child', namespace: 'ns' },
  spec,
})

/** The object on the server after an apply, with the fields that the server adds. */
function applied(spec?: Record<string, unknown>, version = '5'): Thing {
  const plan = planApply({ desired: desired(spec), live: undefined, owner, hashAnnotation })
  if (plan.do !== 'create') throw new Error(plan.do)
  const metadata = { ...plan.body.metadata, uid: 'uid-child', resourceVersion: version }
  return { ...plan.body, metadata, status: { ready: 1 } } as Thing
}

const withMeta = (object: Thing, metadata: Partial<KubeObject['metadata']>): Thing => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
})

describe('the plan of an apply', () => {
  test.each<{ when: string; view: Partial<ApplyView>; plan: object }>([
    {
      when: 'creates an object that does not exist',
      view: { live: undefined },
      plan: { do: 'create' },
    },
    {
      when: 'leaves an object as it is that equals the applied one',
      view: { live: applied() },
      plan: { do: 'nothing' },
    },
    {
      when: 'changes an object whose desired state changed',
      view: { live: applied({ size: 2 }) },
      plan: { do: 'change', because: hashAnnotation },
    },
    {
      when: 'restores a field that another manager changed',
      view: { live: { ...applied(), spec: { size: 9 } } as Thing },
      plan: { do: 'change', because: 'spec.size', body: { metadata: { uid: 'uid-child' } } },
    },
    {
      when: 'leaves the fields, labels and annotations of other managers',
      view: {
        live: withMeta({ ...applied(), spec: { size: 1, theirs: true } } as Thing, {
          labels: { theirs: 'x' },
        }),
      },
      plan: { do: 'nothing' },
    },
    {
      when: 'refuses an object without a controller',
      view: { live: withMeta(applied(), { ownerReferences: [] }) },
      plan: { do: 'refuse', reason: 'NotOurs' },
    },
    {
      when: 'adopts an object without a controller that the owner may adopt',
      view: { live: withMeta(applied(), { ownerReferences: [] }), mayAdopt: () => true },
      plan: { do: 'change', because: 'metadata.ownerReferences.*' },
    },
    {
      when: 'refuses an object with another controller',
      view: {
        live: withMeta(applied(), { ownerReferences: [controllerReference(thing('rival'))] }),
      },
      plan: {
        do: 'refuse',
        reason: 'OwnedByAnother',
        message: 'Thing child belongs to Thing rival',
      },
    },
    {
      when: 'refuses an object that is being deleted',
      view: { live: withMeta(applied({ size: 2 }), { deletionTimestamp: 'now' }) },
      plan: { do: 'refuse', reason: 'BeingDeleted' },
    },
    {
      when: 'creates nothing for an owner that is being deleted',
      view: { live: undefined, owner: thing('owner', { deletionTimestamp: 'now' }) },
      plan: { do: 'refuse', reason: 'OwnerBeingDeleted' },
    },
  ])('$when', ({ view, plan }) => {
    expect(
      planApply({ desired: desired(), live: undefined, owner, hashAnnotation, ...view }),
    ).toMatchObject(plan)
  })
})

describe('drift', () => {
  const pod = (containers: unknown) => ({ spec: { template: { spec: { containers } } } })

  test.each([
    { when: 'a default was added', desired: { a: 1 }, live: { a: 1, b: 2 }, drift: undefined },
    { when: 'a value differs', desired: { a: { b: 1 } }, live: { a: { b: 2 } }, drift: 'a.b' },
    { when: 'a value is gone', desired: { a: { b: 1 } }, live: {}, drift: 'a' },
    { when: 'an empty map was left out', desired: { a: {} }, live: {}, drift: undefined },
    { when: 'an empty list was filled', desired: { a: [] }, live: { a: [1] }, drift: 'a' },
    { when: 'a list has one more', desired: { a: [1] }, live: { a: [1, 2] }, drift: 'a' },
    { when: 'a list has another order', desired: { a: [1, 2] }, live: { a: [2, 1] }, drift: 'a.*' },
    {
      when: 'another manager added an element to a shared list',
      desired: pod([{ name: 'app', image: 'x' }]),
      live: pod([{ name: 'sidecar' }, { name: 'app', image: 'x', imagePullPolicy: 'Always' }]),
      drift: undefined,
    },
    {
      when: 'an own element of a shared list changed',
      desired: pod([{ name: 'app', env: [{ name: 'A', value: '1' }] }]),
      live: pod([{ name: 'app', env: [{ name: 'B' }, { name: 'A', value: '2' }] }]),
      drift: 'spec.template.spec.containers.*.env.*.value',
    },
    {
      when: 'an element was added to an owned list',
      desired: { spec: { ingress: [{ ports: [{ port: 80 }] }] } },
      live: { spec: { ingress: [{ ports: [{ port: 80 }, { port: 22 }] }] } },
      drift: 'spec.ingress.*.ports',
    },
    {
      when: 'another finalizer was added',
      desired: { metadata: { finalizers: ['ours'] } },
      live: { metadata: { finalizers: ['theirs', 'ours'] } },
      drift: undefined,
    },
  ])('is $drift when $when', ({ desired, live, drift }) => {
    expect(findDrift(desired, live)).toBe(drift)
  })
})

describe('the applier', () => {
  /** A server that stores what it gets, but `spec.cpu` in canonical form. */
  function newApplier() {
    const calls: DesiredObject[] = []
    let version = 5
    const client = {
      fieldManager: 'us',
      jsonPatch: async () => {
        throw new Error('nothing of another manager is in these objects')
      },
      apply: async <T extends KubeObject>(
        _: unknown,
        body: DesiredObject,
      ): Promise<AppliedObject<T>> => {
        calls.push(body)
        version += 1
        const metadata = { ...body.metadata, uid: 'uid-child', resourceVersion: `${version}` }
        const spec = { ...(body['spec'] as object), cpu: '1' }
        const object = { ...body, metadata, spec } as KubeObject as T
        return { object, created: body.metadata.uid === undefined }
      },
      list: async () => ({ items: [], resourceVersion: '9' }),
    }
    return { calls, applier: createApplier({ client, hashAnnotation }) }
  }

  test('makes no call when nothing differs', async () => {
    const { calls, applier } = newApplier()
    const live = applied()

    expect(await applier.apply({ type: things, desired: desired(), live, owner })).toEqual({
      result: 'unchanged',
      object: live,
    })
    expect(calls).toEqual([])
  })

  test('creates an object, and then makes no further call', async () => {
    const { calls, applier } = newApplier()
    const first = await applier.apply({ type: things, desired: desired(), live: undefined, owner })
    if (first.result !== 'created') throw new Error(first.result)
    const again = { type: things, desired: desired(), live: first.object, owner }

    expect((await applier.apply(again)).result).toBe('unchanged')
    expect(calls).toHaveLength(1)
    expect(calls[0]?.metadata.ownerReferences).toEqual([controllerReference(owner)])
  })

  test('does not write again while the cache lags behind its own write', async () => {
    const { calls, applier } = newApplier()
    const request = { type: things, desired: desired({ size: 3 }), live: applied(), owner }

    expect((await applier.apply(request)).result).toBe('changed')
    expect((await applier.apply(request)).result).toBe('unchanged')
    expect(calls).toHaveLength(1)
  })

  test('does not write again when the server stores a value in another form', async () => {
    const { calls, applier } = newApplier()
    const request = { type: things, desired: desired({ cpu: '1000m' }), owner }
    const first = await applier.apply({ ...request, live: applied({ size: 1 }) })
    if (first.result !== 'changed') throw new Error(first.result)
    const second = await applier.apply({ ...request, live: first.object })
    const touched = withMeta(first.object, { resourceVersion: '99' })
    const third = await applier.apply({ ...request, live: touched })

    expect([second.result, third.result]).toEqual(['unchanged', 'changed'])
    expect(calls).toHaveLength(2)
  })

  test('writes nothing after a refusal', async () => {
    const { calls, applier } = newApplier()
    const live = withMeta(applied(), { ownerReferences: [controllerReference(thing('rival'))] })

    expect(await applier.apply({ type: things, desired: desired(), live, owner })).toMatchObject({
      result: 'refused',
      reason: 'OwnedByAnother',
    })
    expect(calls).toEqual([])
  })
})
