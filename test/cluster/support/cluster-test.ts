/**
 * `test` with the cluster of the run:
 *
 *   import { describe, expect } from 'vitest'
 *   import { test } from './support/cluster-test.ts'
 *   test('it …', async ({ cluster }) => { … })      // any cluster
 *   test('it …', async ({ fakeNodes }) => { … })    // one with simulated nodes
 *
 * Without such a cluster the test is skipped with a reason.
 */
import { inject, test as plain } from 'vitest'
import { type Cluster, connectCluster } from './cluster.ts'

let connection: Promise<Cluster> | undefined

interface Fixtures {
  cluster: Cluster
  fakeNodes: Cluster
}

export const test = plain.extend<Fixtures>({
  cluster: async ({ skip }, use) => {
    const shared = inject('cluster')
    if (shared.kind === 'none') return skip(shared.reason)
    connection ??= connectCluster(shared.kubeconfigPath, shared.kind)
    await use(await connection)
  },
  fakeNodes: async ({ cluster, skip }, use) => {
    if (cluster.kind === 'own') return skip('the cluster of TEST_KUBECONFIG has real nodes')
    await use(cluster)
  },
})
