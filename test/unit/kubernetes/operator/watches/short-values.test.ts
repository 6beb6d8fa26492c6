import { expect, test } from 'vitest'
import { sponsorFinalizer } from '../../../../../src/kubernetes/crd/names/marks.ts'
import { withShortValues } from '../../../../../src/kubernetes/operator/watches/short-values.ts'

const secret = (data?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'a',
    namespace: 'ns',
    uid: '1',
    resourceVersion: '7',
    annotations: { of: 'others' },
  },
  ...(data && { data }),
})

test.each([
  { name: 'short values', data: { seed: 'S'.repeat(76), url: 'u'.repeat(400) }, kept: true },
  { name: 'a long value', data: { seed: 'S'.repeat(76), url: 'u'.repeat(20_000) }, kept: false },
  {
    name: 'many values that are long together',
    data: Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`k${index}`, 'v'.repeat(200)]),
    ),
    kept: false,
  },
  {
    name: 'long names of keys',
    data: Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`${index}`.padEnd(250, 'k'), '']),
    ),
    kept: false,
  },
])('of a Secret with $name the cache has the values: $kept', ({ data, kept }) => {
  const { metadata, ...others } = withShortValues(secret(data))
  expect(metadata).toMatchObject({ name: 'a', namespace: 'ns', uid: '1', resourceVersion: '7' })
  expect(metadata).not.toHaveProperty('annotations')
  expect(others).toEqual({ apiVersion: 'v1', kind: 'Secret', ...(kept && { data }) })
})

test('a Secret without values stays as it is', () => {
  expect(withShortValues(secret())).not.toHaveProperty('data')
})

test.each([{ data: { seed: 'S' } }, { data: { long: 'v'.repeat(20_000) } }])(
  'of the metadata of a Secret the cache has the identity and the finalizer of a rotation',
  ({ data }) => {
    const { metadata, ...others } = secret(data)
    const long = 'x'.repeat(100_000)
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: long, uid: 'o' }
    const { name, namespace, uid, resourceVersion } = metadata
    const written = {
      ...metadata,
      labels: { [long]: '' },
      annotations: { [`x402.svc.dev/${long}`]: '' },
      finalizers: [`example.com/${long}`, sponsorFinalizer],
      ownerReferences: [owner],
    }
    expect(withShortValues({ ...others, metadata: written }).metadata).toEqual({
      name,
      namespace,
      uid,
      resourceVersion,
      finalizers: [sponsorFinalizer],
    })
  },
)
