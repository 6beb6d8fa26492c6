import { describe, expect, test } from 'vitest'
import {
  addFinalizer,
  removeFinalizer,
} from '../../../../../src/kubernetes/runtime/apply/finalizers.ts'
import { createStatusWriter } from '../../../../../src/kubernetes/runtime/apply/status-writer.ts'
import { KubeError } from '../../../../../src/kubernetes/runtime/client/kube-error.ts'
import {
  type Condition,
  setConditions,
  unknownConditions,
} from '../../../../../src/kubernetes/runtime/objects/conditions.ts'
import type {
  DesiredObject,
  KubeObject,
} from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import { thing, things } from '../support/objects.ts'

const now = Date.parse('2026-01-02T03:04:05.678Z')
const ready: Condition = {
  type: 'Ready',
  status: 'True',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'Fine',
  message: 'All is well',
}

describe('conditions', () => {
  test('keep their time while their status stays', () => {
    const observed = {
      type: 'Ready',
      status: 'True',
      reason: 'Better',
      message: 'Ever more',
    } as const

    expect(setConditions([ready], [observed], { generation: 2, now })).toEqual([
      { ...observed, observedGeneration: 2, lastTransitionTime: ready.lastTransitionTime },
    ])
  })

  test('get a new time when their status changes', () => {
    const observed = { type: 'Ready', status: 'False', reason: 'Broken', message: 'Oh' } as const

    expect(setConditions([ready], [observed], { generation: 2, now })[0]?.lastTransitionTime).toBe(
      '2026-01-02T03:04:05Z',
    )
  })

  test('stay when not observed, and begin as Unknown', () => {
    const observed = unknownConditions(['Degraded', 'Funded'], 'NotYet', 'Not looked at yet')
    const conditions = setConditions([ready], observed, { generation: 1, now })

    expect(conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'Ready=True',
      'Degraded=Unknown',
      'Funded=Unknown',
    ])
  })
})

describe('the status writer', () => {
  function newWriter() {
    const calls: DesiredObject[] = []
    const client = {
      applyStatus: async <T extends KubeObject>(_: unknown, body: DesiredObject): Promise<T> => {
        calls.push(body)
        return thing('a', { resourceVersion: '2' }) as KubeObject as T
      },
    }
    return { calls, writer: createStatusWriter({ client }) }
  }

  test('writes nothing when the status is equal in another order', async () => {
    const { calls, writer } = newWriter()
    const live = thing('a', {}, { status: { b: [1], a: 1 } })

    expect(await writer.write({ type: things, live, status: { a: 1, b: [1] } })).toBe(false)
    expect(calls).toEqual([])
  })

  test('writes once, with the uid of the object, while the cache is behind', async () => {
    const { calls, writer } = newWriter()
    const live = thing('a', {}, { status: { a: 1 } })

    expect(await writer.write({ type: things, live, status: { a: 2 } })).toBe(true)
    expect(await writer.write({ type: things, live, status: { a: 2 } })).toBe(false)
    expect(await writer.write({ type: things, live, status: { a: 3 } })).toBe(true)
    expect(calls[0]).toEqual({
      apiVersion: 'test.dev/v1',
      kind: 'Thing',
      metadata: { name: 'a', namespace: 'ns', uid: 'uid-a' },
      status: { a: 2 },
    })
  })

  test('writes nothing to an object that is gone, and passes on every other refusal', async () => {
    const refused = (kind: 'notFound' | 'forbidden') =>
      createStatusWriter({
        client: {
          applyStatus: () => Promise.reject(new KubeError({ kind, message: 'refused' })),
        },
      })
    const live = thing('a', {}, { status: { a: 1 } })
    const request = { type: things, live, status: { a: 2 } }

    expect(await refused('notFound').write(request)).toBe(false)
    await expect(refused('forbidden').write(request)).rejects.toThrow('refused')
  })
})

describe('a finalizer', () => {
  /** `left` is what the server answers to an apply. */
  function newClient(left: KubeObject) {
    const calls: unknown[] = []
    return {
      calls,
      client: {
        fieldManager: 'tester',
        apply: async <T extends KubeObject>(_: unknown, body: DesiredObject, options: unknown) => {
          calls.push({ apply: body.metadata, options })
          return { object: left as T, created: false }
        },
        patch: async <T extends KubeObject>(_: unknown, __: unknown, body: unknown) => {
          calls.push({ patch: body })
          return left as T
        },
      },
    }
  }
  const finalizer = 'test.dev/ours'

  test('is added under its own manager, with the uid of the object', async () => {
    const { calls, client } = newClient(thing('a', { finalizers: [finalizer] }))
    await addFinalizer({ client, type: things, live: thing('a'), finalizer })

    expect(calls).toEqual([
      {
        apply: { name: 'a', namespace: 'ns', uid: 'uid-a', finalizers: [finalizer] },
        options: { fieldManager: 'tester-finalizer' },
      },
    ])
  })

  test('causes no call when it is present, or removed, already', async () => {
    const { calls, client } = newClient(thing('a'))
    const live = thing('a', { finalizers: [finalizer] })
    await addFinalizer({ client, type: things, live, finalizer })
    await removeFinalizer({ client, type: things, live: thing('a'), finalizer })

    expect(calls).toEqual([])
  })

  test('is removed even if the manifest added it, and no other with it', async () => {
    const { calls, client } = newClient(
      thing('a', { finalizers: ['theirs', finalizer], resourceVersion: '7' }),
    )
    const live = thing('a', { finalizers: ['theirs', finalizer] })
    await removeFinalizer({ client, type: things, live, finalizer })

    expect(calls[1]).toEqual({
      patch: { metadata: { resourceVersion: '7', finalizers: ['theirs'] } },
    })
  })
})
