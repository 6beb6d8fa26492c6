import { expect } from 'vitest'
import { API_VERSION } from '../../../src/api/group.ts'
import { usdcContracts } from '../../../src/core/caip2.ts'
import { canonicalJson } from '../../../src/core/canonical-json.ts'
import { facilitatorManifest, type Json } from '../../support/api/manifests.ts'
import { test } from '../support/cluster-test.ts'
import { isReady, openPoolWorld, type PoolWorld } from './pool-world.ts'
import {
  addSponsor,
  firstSponsor,
  hasEnded,
  nameSponsor,
  onLedgerOf,
  rotationPatience,
} from './rotation-world.ts'

const late = [undefined, { ...rotationPatience, timeout: 150_000 }] as const
const MOUNTED = /sponsor-secret$/

const facilitatorPath = ({ namespace }: PoolWorld) =>
  `/apis/${API_VERSION}/namespaces/${namespace}/facilitators/payments`

async function applyFacilitator(world: PoolWorld, network: Json): Promise<void> {
  const body = facilitatorManifest({
    replicas: 2,
    networks: [{ channelPool: 'testnet', ...network }],
  })
  const path = `${facilitatorPath(world)}?fieldManager=test&force=true`
  const contentType = 'application/apply-patch+yaml'
  const { status, text } = await world.cluster.request('PATCH', path, {
    body: { ...body },
    contentType,
  })
  expect(status, text).toBeLessThan(300)
}

/** The Secrets of sponsors that the pods of the Deployment mount, by file. */
async function mountedNow({
  cluster,
  namespace,
}: PoolWorld): Promise<Readonly<Record<string, string>>> {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/payments-facilitator`
  const { spec } = Object((await cluster.request('GET', path)).body)
  const volumes = (spec?.template?.spec?.volumes ?? []) as readonly Json[]
  const secrets = Object(volumes.find(({ name }) => name === 'secrets'))
  const sources = (secrets.projected?.sources ?? []) as readonly {
    secret: { name: string; items: readonly { path: string }[] }
  }[]
  return Object.fromEntries(
    sources
      .map(({ secret }) => [secret.items[0]?.path ?? '', secret.name] as const)
      .filter(([file]) => MOUNTED.test(file)),
  )
}

/** Every set of seeds that the pods mounted one after the other, until the rotation has ended. */
async function mountsUntilDone(world: PoolWorld, name: string): Promise<readonly Json[]> {
  const seen: Json[] = []
  await world.until(
    async (pool) => {
      const now = await mountedNow(world)
      if (canonicalJson(now) !== canonicalJson(seen.at(-1) ?? null)) seen.push(now)
      hasEnded('Done')(pool)
      expect(pool?.status?.sponsor?.secretRef?.name).toBe(name)
    },
    ...late,
  )
  return seen
}

const file = (kind: string) => `testnet-${kind}sponsor-secret`

test('pods that serve the scheme upto follow the pool, one rollout for each step', {
  timeout: 600_000,
}, async ({ cluster }) => {
  await using world = await openPoolWorld(cluster)
  await using _operator = world.operate({ FACILITATOR_IMAGE: 'svc:first' })
  const old = firstSponsor(world)
  const next = await addSponsor(world, 'next-sponsor', 100n)
  await world.apply({ channels: 2 })
  // Any contract will do: these pods are simulated.
  const upto = { contract: usdcContracts['stellar:testnet'] }
  await applyFacilitator(world, { upto, timeouts: { min: '1s', max: '1s' } })
  await world.until(
    (pool) => {
      isReady(pool)
      expect(pool?.status?.usedBy).toEqual(['payments'])
    },
    ...late,
  )
  await world.until(
    async () => {
      const { status } = Object((await cluster.request('GET', facilitatorPath(world))).body)
      expect(status?.sponsors).toEqual([
        { channelPool: 'testnet', step: 0, current: { name: old.name, key: 'secret' } },
      ])
    },
    ...late,
  )

  await nameSponsor(world, next.name)
  expect(await mountsUntilDone(world, next.name)).toEqual([
    { [file('')]: old.name },
    { [file('')]: old.name, [file('next-')]: next.name },
    { [file('')]: next.name, [file('previous-')]: old.name },
    { [file('')]: next.name },
  ])
  expect((await onLedgerOf(world, old)).channels).toEqual([])
})
