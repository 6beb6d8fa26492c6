import { describe, expect, test } from 'vitest'
import type { Facilitator } from '../../../../../src/kubernetes/crd/facilitator.ts'
import { isReduced } from '../../../../../src/kubernetes/operator/watches/bounded.ts'
import {
  facilitatorsByPool,
  facilitatorsBySecret,
} from '../../../../../src/kubernetes/operator/watches/indexes.ts'
import { lean, leanFacilitator } from '../../../../../src/kubernetes/operator/watches/lean.ts'
import { ObjectStore } from '../../../../../src/kubernetes/runtime/cache/store.ts'
import { facilitatorWith } from '../facilitator/builders.ts'

const long = 'x'.repeat(200_000)

test('a cache holds of the metadata of an object what the operator reads', () => {
  const metadata = { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '1' }
  const read = {
    ...metadata,
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionTimestamp: '2026-01-02T00:00:00Z',
  }
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...read,
      labels: { [long]: '' },
      finalizers: [long, 'x402.svc.dev/cleanup'],
      ownerReferences: [{ apiVersion: 'v1', kind: long, name: long, uid: long }],
      managedFields: [{ manager: long }],
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': long,
        'x402.svc.dev/paused': 'true',
        'x402.svc.dev/take-over': 'x'.repeat(20_000),
        'x402.svc.dev/of-nobody': 'true',
      },
    },
  }
  expect(lean(object).metadata).toEqual({
    ...read,
    annotations: { 'x402.svc.dev/paused': 'true' },
    finalizers: ['x402.svc.dev/cleanup'],
  })
  expect(lean({ ...object, metadata }).metadata).toEqual(metadata)
})

describe('of a Facilitator', () => {
  const withAffinity = (affinity: unknown): Facilitator =>
    facilitatorWith({ podTemplate: { spec: { affinity } } }, { finalizers: ['example.com/other'] })

  test('a short spec is held as it is', () => {
    const facilitator = withAffinity({ podAffinity: { a: ['b'] } })
    expect(leanFacilitator(facilitator).spec).toBe(facilitator.spec)
    expect(isReduced(leanFacilitator(facilitator))).toBe(false)
  })

  test.each([
    ['long', { a: long }],
    ['of many values', { a: Array(3_000).fill(0) }],
    ['deep', JSON.parse(`${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`)],
  ])('a spec that is %s is reduced to what its pools depend on', (_, affinity) => {
    const facilitator = withAffinity(affinity)
    const status = { observedGeneration: 1 } as Facilitator['status']
    const held = leanFacilitator({ ...facilitator, ...(status && { status }) })
    const { networks, replicas } = facilitator.spec
    const { finalizers: _finalizers, ...metadata } = facilitator.metadata
    expect(isReduced(held)).toBe(true)
    expect({ ...held }).toEqual({
      apiVersion: facilitator.apiVersion,
      kind: facilitator.kind,
      metadata,
      spec: { networks, replicas },
      status,
      isReduced: true,
    })
    // The store freezes what it holds at every level.
    const indexes = { pool: facilitatorsByPool, secret: facilitatorsBySecret }
    const store = new ObjectStore<Facilitator>(indexes)
    store.put(held)
    expect(store.by('pool', `shop/${networks[0]?.channelPool}`)).toHaveLength(1)
  })
})
