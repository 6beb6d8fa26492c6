import { expect } from 'vitest'
import { API_VERSION } from '../../../../../src/kubernetes/crd/names/group.ts'
import { usdcContracts } from '../../../../../src/platform/core/caip2.ts'
import { facilitatorManifest } from '../../../../support/api/manifests.ts'
import type { PoolWorld } from '../../../kubernetes/operator/channel-pool/pool-world.ts'
import type { GatedPool } from './gated-pool.ts'
import { patience } from './rotation-world.ts'

/** Of a planned rotation where pods serve the scheme upto. */
export const uptoPhases = [
  'Checking',
  'Provisioning',
  'Introducing',
  'Moving',
  'Expiring',
  'Unmounting',
  'Retiring',
  'Sweeping',
] as const

const pathOf = ({ namespace }: PoolWorld, name: string) =>
  `/apis/${API_VERSION}/namespaces/${namespace}/facilitators/${name}`

/** Gives each pool a Facilitator of its name with the scheme upto, whose pods are simulated, and waits until they serve. */
export async function serveUpto(world: PoolWorld, pools: readonly GatedPool[]): Promise<void> {
  // Any contract will do: these pods are simulated.
  const upto = { contract: usdcContracts['stellar:testnet'] }
  const timeouts = { min: '10s', max: '10s' }
  for (const { name } of pools) {
    const spec = {
      replicas: 1,
      database: { secretRef: { name: `${name}-database` } },
      networks: [{ channelPool: name, upto, timeouts }],
    }
    const { status, text } = await world.cluster.request(
      'PATCH',
      `${pathOf(world, name)}?fieldManager=test&force=true`,
      {
        body: { ...facilitatorManifest(spec, { name }) },
        contentType: 'application/apply-patch+yaml',
      },
    )
    expect(status, text).toBeLessThan(300)
  }
  for (const { name } of pools) {
    await world.until(
      async (pool) => {
        expect(pool?.status?.usedBy).toEqual([name])
        const { status } = Object((await world.cluster.request('GET', pathOf(world, name))).body)
        expect(status?.sponsors).toMatchObject([{ channelPool: name, step: 0 }])
      },
      name,
      patience,
    )
  }
}

/** A pool can be deleted once no Facilitator uses it. */
export const stopServing = (world: PoolWorld, { name }: GatedPool): Promise<unknown> =>
  world.cluster.request('DELETE', pathOf(world, name))
