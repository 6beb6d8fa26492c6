import { existsSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { startCluster } from './cluster.ts'
import { harness, prepareTools } from './tools.ts'

/** The cluster that the tests of a run share, or the reason for its absence. */
export type SharedCluster =
  | { readonly kind: 'harness' | 'own'; readonly kubeconfigPath: string }
  | { readonly kind: 'none'; readonly reason: string }

declare module 'vitest' {
  interface ProvidedContext {
    cluster: SharedCluster
  }
}

/**
 * One cluster for the whole run; each test has its own namespace. With TEST_CLUSTER_BUILD=1, as in `make test-cluster`,
 * what is missing is built before.
 */
export default async function shareCluster(
  project: TestProject,
): Promise<(() => Promise<void>) | undefined> {
  if (process.env['TEST_CLUSTER_BUILD'] === '1') await prepareTools()
  if (process.env['TEST_KUBECONFIG'] === 'use') {
    const kubeconfigPath = process.env['KUBECONFIG'] ?? ''
    if (!existsSync(kubeconfigPath)) {
      throw new Error('TEST_KUBECONFIG=use needs KUBECONFIG to name one file')
    }
    project.provide('cluster', { kind: 'own', kubeconfigPath })
    return undefined
  }
  const tool = await harness()
  if ('missing' in tool) {
    project.provide('cluster', { kind: 'none', reason: `no test cluster: ${tool.missing}` })
    return undefined
  }
  const cluster = await startCluster()
  project.provide('cluster', { kind: 'harness', kubeconfigPath: cluster.kubeconfigPath })
  return async () => cluster[Symbol.asyncDispose]()
}
