import { expect, test } from 'vitest'
import { bounded, isReduced } from '../../../../../src/kubernetes/operator/watches/bounded.ts'
import { leanPod } from '../../../../../src/kubernetes/operator/watches/lean-pod.ts'
import type { AnyObject } from '../../../../../src/kubernetes/runtime/objects/well-known.ts'

const identity = { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '7' }
const controller = {
  apiVersion: 'x402.svc.dev/v1beta1',
  kind: 'Facilitator',
  name: 'shop',
  uid: 'f',
  controller: true,
}
const ours = {
  labels: {
    'app.kubernetes.io/managed-by': 'stellar-x402-operator',
    'x402.svc.dev/facilitator': 'shop',
  },
  annotations: { 'x402.svc.dev/desired-hash': 'hash' },
}
const held = bounded(() => [])
const held64 = bounded((entries) => entries)
const long = 'x'.repeat(70_000)
const child = (members: object, metadata: object = {}): AnyObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...identity, ...ours, generation: 3, ownerReferences: [controller], ...metadata },
  ...members,
})

test('a short object is held as it is, whatever others wrote of its managed fields', () => {
  const fields = [{ manager: long, operation: 'Update' }]
  const object = child({ data: { a: 'b' } }, { managedFields: fields })
  expect(held(object)).toBe(object)
  expect(isReduced(held(object))).toBe(false)
  expect(isReduced(held64(object))).toBe(true)
})

test.each([{ data: { a: long } }, { spec: { a: long } }])(
  'a long object is held without its content',
  (members) => {
    const object = held(child({ ...members, status: { replicas: 1 } }))
    expect(isReduced(object)).toBe(true)
    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...identity, ...ours, generation: 3, ownerReferences: [controller] },
      status: { replicas: 1 },
      isReduced: true,
    })
  },
)

test('of an object that is long in every part less than 4 KiB is held', () => {
  const object = held(
    child(
      { data: { a: long }, status: { a: long } },
      {
        labels: { ...ours.labels, [long]: '' },
        annotations: { [`x402.svc.dev/${long}`]: '', 'x402.svc.dev/desired-hash': long },
        finalizers: [long],
        ownerReferences: [
          { ...controller, name: long },
          { ...controller, controller: false },
        ],
      },
    ),
  )
  expect(object.metadata.labels).toEqual(ours.labels)
  expect(JSON.stringify(object).length).toBeLessThan(4_096)
})

test('of a pod only what explains its failure is held', () => {
  const state = { terminated: { reason: 'Error', message: 'svc: it fails', exitCode: 1 } }
  const scheduled = { type: 'PodScheduled', status: 'True' }
  const marks = { 'x402.svc.dev/facilitator': 'shop', 'app.kubernetes.io/component': 'facilitator' }
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...identity, labels: { ...marks, [long]: '' }, annotations: { a: long } },
    spec: { containers: [{ name: long }] },
    status: {
      conditions: [scheduled, { type: long, status: 'True' }],
      containerStatuses: [{ name: long, image: long, ready: false, state }],
    },
  }
  const metadata = { ...identity, labels: marks }
  expect(leanPod(pod)).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    status: { conditions: [scheduled], containerStatuses: [{ ready: false, state }] },
  })
  const endless = { ...pod, status: { conditions: [{ ...scheduled, message: long }] } }
  expect(leanPod(endless)).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata })
})
