import { expect, vi } from 'vitest'
import type { LeaseSpec } from '../../../../src/kubernetes/runtime/election/lease.ts'
import { openPoolWorld, type PoolWorld } from '../../kubernetes/operator/channel-pool/pool-world.ts'
import type { OperatorProcess } from '../../kubernetes/operator/operator-process.ts'
import { type ApiProxy, startApiProxy } from '../../support/api-proxy.ts'
import type { Cluster } from '../../support/cluster.ts'
import { type ChaosPool, openChaosPool } from './chaos-pool.ts'
import { pace, timings } from './pace.ts'

const patience = { timeout: pace(90_000, 300_000), interval: 50 }
export const until = <T>(expectation: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(expectation, patience)

/** A namespace, a faulty proxy to the API server, and processes that compete for the lease. */
export interface ChaosWorld extends PoolWorld {
  /** Between the operators and the API server; tests connect to it directly. */
  readonly proxy: ApiProxy
  pool(name: string): Promise<ChaosPool>
  /** A process with that pod name and the timings of pace.ts. */
  stand(name: string, environment?: Readonly<Record<string, string>>): OperatorProcess
  lease(): Promise<LeaseSpec>
  untilLeads(name: string): Promise<LeaseSpec>
  /** The last epoch that wrote to the store. */
  epoch(): Promise<{ readonly name: string; readonly epoch: bigint } | undefined>
}

export async function openChaosWorld(cluster: Cluster): Promise<ChaosWorld> {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openPoolWorld(cluster))
  const proxy = opened.use(await startApiProxy(cluster.kubeconfigPath))
  const lease = async (): Promise<LeaseSpec> => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases/stellar-x402-operator`
    const { body } = await cluster.request('GET', path)
    return Object(body['spec'])
  }
  const resources = opened.move()
  return {
    ...world,
    proxy,
    until: (expectation, name, within = patience) => world.until(expectation, name, within),
    pool: async (name) => resources.use(await openChaosPool(world, name)),
    stand: (name, environment = {}) => {
      const own = { ...timings, POD_NAME: name, ...environment }
      return resources.use(world.operate(own, proxy.kubeconfigPath))
    },
    lease,
    untilLeads: (name) =>
      until(async () => {
        const spec = await lease()
        expect(spec.holderIdentity).toMatch(new RegExp(`^${name}_`))
        return spec
      }),
    epoch: () =>
      world.store.db.selectFrom('operator_epochs').select(['name', 'epoch']).executeTakeFirst(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
