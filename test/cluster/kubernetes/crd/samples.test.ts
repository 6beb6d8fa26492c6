import { describe, expect } from 'vitest'
import { sampleObjects } from '../../../support/api/samples.ts'
import { test } from '../../support/cluster-test.ts'
import { installDefinitions } from './objects.ts'

describe('kubectl', () => {
  test.for([
    { folder: 'manifests/samples', sample: 'small' },
    { folder: 'manifests/samples/small', sample: 'small' },
    { folder: 'manifests/samples/full', sample: 'full' },
  ])('applies $folder, twice alike', async ({ folder, sample }, { cluster }) => {
    await installDefinitions(cluster)
    await using namespace = await cluster.namespace('samples')
    const how = ['--server-side', '--validate=strict', '-n', namespace.name, '-k', folder]

    const first = await cluster.kubectl(['apply', ...how])
    const second = await cluster.kubectl(['apply', ...how])

    const lines = first.trim().split('\n')
    expect(lines).toHaveLength(sampleObjects(sample).length)
    for (const line of lines) expect(line).toMatch(/ serverside-applied$/)
    expect(second).toBe(first)
  })
})
