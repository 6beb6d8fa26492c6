/**
 * `test` with the run's cluster in hand:
 *
 *   import { describe, expect } from 'vitest'
 *   import { test } from './support/cluster-test.ts'
 *   test('it …', async ({ cluster }) => { … })      // any cluster
 *   test('it …', async ({ fakeNodes }) => { … })    // one whose nodes only pretend
 *
 * Where there is none the test is skipped with the reason.
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
    if (cluster.kind === 'own') return skip('the nodes of your cluster run what they are given')
    await use(cluster)
  },
})
