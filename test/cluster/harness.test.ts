import { describe, expect, vi } from 'vitest'
import { test } from './support/cluster-test.ts'

const soon = { timeout: 30_000, interval: 50 }

describe('the test cluster', () => {
  test('starts a Deployment of two on nodes that pretend', async ({ fakeNodes: cluster }) => {
    await using namespace = await cluster.namespace('deployment')
    const inIt = ['-n', namespace.name]
    await cluster.kubectl([...inIt, 'create', 'deployment', 'web', '--image=x', '--replicas=2'])
    await cluster.kubectl([...inIt, 'rollout', 'status', 'deployment/web', '--timeout=30s'])
    await vi.waitFor(async () => {
      const path = `/apis/apps/v1/namespaces/${namespace.name}/deployments/web`
      const { body } = await cluster.request('GET', path)
      expect(body['status']).toMatchObject({ availableReplicas: 2, readyReplicas: 2 })
    }, soon)
  })
})
