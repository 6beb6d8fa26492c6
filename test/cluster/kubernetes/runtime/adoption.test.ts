import { expect } from 'vitest'
import { createApplier } from '../../../../src/kubernetes/runtime/apply/apply.ts'
import { configMap, configMaps, test } from './support/operator.ts'

const hashAnnotation = 'kube-test.dev/hash'

test('an object that appears just before it is created is not taken over', async ({ place }) => {
  const { client, others, namespace } = place
  const owner = (await client.apply(configMaps, configMap(namespace, {}))).object
  const desired = configMap(namespace, { ours: '1' })
  const { object: theirs } = await others.apply(configMaps, {
    ...desired,
    data: { theirs: 'kept' },
  })
  const applier = createApplier({ client, hashAnnotation })
  // The cache has nothing, as if the object were younger than its last event.
  const request = { type: configMaps, desired, live: undefined, owner }

  expect(await applier.apply(request)).toMatchObject({ result: 'refused', reason: 'NotOurs' })
  expect((await others.get(configMaps, desired.metadata)).metadata.resourceVersion).toBe(
    theirs.metadata.resourceVersion,
  )
})

test('an object of its own that the cache does not show is not written again', async ({
  place,
}) => {
  const { client, namespace } = place
  const owner = (await client.apply(configMaps, configMap(namespace, {}))).object
  const desired = configMap(namespace, { ours: '1' })
  const applier = createApplier({ client, hashAnnotation })
  const request = { type: configMaps, desired, live: undefined, owner }
  const first = await applier.apply(request)

  expect([first.result, (await applier.apply(request)).result]).toEqual(['created', 'unchanged'])
})
