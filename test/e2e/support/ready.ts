/** Whether a world has nothing left to do: from the API server alone, since a `kubectl wait` for each fact takes seconds. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Body } from '../../cluster/support/kube-request.ts'
import type { RealCluster } from './node.ts'

const POLL_INTERVAL_MS = 250
const TIMEOUT_MS = 180_000

/** @throws Error with what is not so after three minutes */
export async function untilReady(
  cluster: RealCluster,
  namespaces: readonly string[],
  resources: readonly string[],
): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const found = await Promise.all([
      ...namespaces.map((each) => unfinishedDeployments(cluster, each)),
      ...resources.map((each) => unmetConditions(cluster, each)),
    ])
    const reasons = found.flat()
    if (reasons.length === 0) return
    if (performance.now() > deadline)
      throw new Error(`not ready after ${TIMEOUT_MS} ms: ${reasons.join(', ')}`)
    await sleep(POLL_INTERVAL_MS)
  }
}

/** As `kubectl rollout status` judges, and every pod has been ready for `minReadySeconds`. */
async function unfinishedDeployments(
  cluster: RealCluster,
  namespace: string,
): Promise<readonly string[]> {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const { body } = await cluster.request('GET', path)
  return (body['items'] as Deployment[])
    .filter(({ metadata, spec, status }) => {
      const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status
      const counts = [updatedReplicas, replicas, availableReplicas]
      const isObserved = status.observedGeneration === metadata.generation
      return !isObserved || counts.some((count) => count !== spec.replicas)
    })
    .map(({ metadata }) => `the Deployment ${namespace}/${metadata.name}`)
}

interface Deployment {
  readonly metadata: { readonly name: string; readonly generation: number }
  readonly spec: { readonly replicas: number }
  readonly status: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
  }
}

const WANTED = { Ready: 'True', Progressing: 'False', Degraded: 'False' } as const

/** The conditions are those of the newest spec once the operator has observed it. */
async function unmetConditions(cluster: RealCluster, path: string): Promise<readonly string[]> {
  const { body } = await cluster.request('GET', path)
  const { status, metadata } = body as Body & Resource
  if (status?.observedGeneration !== metadata?.generation) return [`${path} is not observed`]
  const found = new Map(status?.conditions?.map((each) => [each.type, each.status]))
  return Object.entries(WANTED)
    .filter(([type, wanted]) => found.get(type) !== wanted)
    .map(([type]) => `${path}: ${type} is ${found.get(type)}`)
}

interface Resource {
  readonly metadata?: { readonly generation: number }
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}
