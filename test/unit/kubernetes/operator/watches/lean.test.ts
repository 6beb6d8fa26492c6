import { expect, test } from 'vitest'
import { lean } from '../../../../../src/kubernetes/operator/watches/lean.ts'

test('a cache holds no annotation of others, such as the whole object that kubectl apply repeats', () => {
  const metadata = { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '1' }
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...metadata,
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': 'x'.repeat(200_000),
        'x402.svc.dev/paused': 'true',
        'x402.svc.dev/take-over': 'x'.repeat(20_000),
        'x402.svc.dev/of-nobody': 'true',
      },
    },
  }
  expect(lean(object).metadata).toEqual({
    ...metadata,
    annotations: { 'x402.svc.dev/paused': 'true' },
  })
  expect(lean({ ...object, metadata }).metadata).toEqual(metadata)
})
