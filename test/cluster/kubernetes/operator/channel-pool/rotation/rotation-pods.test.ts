import { expect } from 'vitest'
import { API_VERSION } from '../../../../../../src/kubernetes/crd/names/group.ts'
import { usdcContracts } from '../../../../../../src/platform/core/caip2.ts'
import { canonicalJson } from '../../../../../../src/platform/core/text/canonical-json.ts'
import { facilitatorManifest, type Json } from '../../../../../support/api/manifests.ts'
import { test } from '../../../../support/cluster-test.ts'
import { condition, isReady, openPoolWorld, type PoolWorld } from '../pool-world.ts'
import {
  addSponsor,
  firstSponsor,
  hasEnded,
  isBlockedBy,
  nameSponsor,
  onLedgerOf,
  rotationPatience,
} from './rotation-world.ts'

const late = [undefined, { ...rotationPatience, timeout: 150_000 }] as const
const MOUNTED = /sponsor-secret$/

const facilitatorPath = ({ namespace }: PoolWorld) =>
  `/apis/${API_VERSION}/namespaces/${namespace}/facilitators/payments`

async function applyFacilitator(world: PoolWorld, network: Json, more: Json = {}): Promise<void> {
  const body = facilitatorManifest({
    replicas: 2,
    networks: [{ channelPool: 'testnet', ...network }],
    ...more,
  })
  const path = `${facilitatorPath(world)}?fieldManager=test&force=true`
  const contentType = 'application/apply-patch+yaml'
  const { status, text } = await world.cluster.request('PATCH', path, {
    body: { ...body },
    contentType,
  })
  expect(status, text).toBeLessThan(300)
}

/** @param paused null removes the annotation */
async function annotate(world: PoolWorld, paused: string | null): Promise<void> {
  const body = { metadata: { annotations: { 'x402.svc.dev/paused': paused } } }
  const contentType = 'application/merge-patch+json'
  const { status, text } = await world.cluster.request('PATCH', facilitatorPath(world), {
    body,
    contentType,
  })
  expect(status, text).toBe(200)
}

/** Until the Facilitator says that all its pods mount this seed alone. */
const untilMounted = (
  world: PoolWorld,
  { name, step }: { readonly name: string; readonly step: number },
) =>
  world.until(
    async () => {
      const { status } = Object((await world.cluster.request('GET', facilitatorPath(world))).body)
      expect(status?.sponsors).toEqual([
        { channelPool: 'testnet', step, current: { name, key: 'secret' } },
      ])
    },
    ...late,
  )

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
      expect(pool?.status?.sponsor?.source?.secretRef?.name).toBe(name)
    },
    ...late,
  )
  return seen
}

test.concurrent('pods that wait for an administrator block the rotation, with the reason of their Facilitator', {
  timeout: 600_000,
}, async ({ cluster }) => {
  await using world = await openPoolWorld(cluster)
  await using _operator = world.operate({ FACILITATOR_IMAGE: 'svc:first' })
  const old = firstSponsor(world)
  const next = await addSponsor(world, 'next-sponsor', 100n)
  const database = 'database-of-payments'
  await world.secret(database, { url: world.databaseUrl })
  await world.apply({ channels: 2 })
  await applyFacilitator(world, {}, { database: { secretRef: { name: database } } })
  await untilMounted(world, { name: old.name, step: 0 })

  const secret = `/api/v1/namespaces/${world.namespace}/secrets/${database}`
  expect((await cluster.request('DELETE', secret)).status).toBe(200)
  await nameSponsor(world, next.name)
  const blocked = await world.until(
    isBlockedBy(
      /Facilitator payments are not replaced: its rollout has stopped.*DatabaseSecretMissing/,
    ),
    ...late,
  )
  expect(blocked.status?.rotation?.phase).toBe('Moving')
  for (const type of ['Degraded', 'Stalled']) {
    expect(condition(blocked, type)).toMatchObject({ status: 'True', reason: 'RotationBlocked' })
  }
  // The old channels stay for the pods that nobody replaces.
  expect((await onLedgerOf(world, old)).channels).toEqual([0, 1])

  await annotate(world, 'true')
  await world.secret(database, { url: world.databaseUrl })
  await world.until(isBlockedBy(/It says Paused: The annotation x402.svc.dev\/paused/), ...late)
  await annotate(world, null)
  await world.until(hasEnded('Done'), ...late)
  await untilMounted(world, { name: next.name, step: 6 })
})

const file = (kind: string) => `testnet-${kind}sponsor-secret`

test.concurrent('pods that serve the scheme upto follow the pool, one rollout for each step', {
  timeout: 600_000,
}, async ({ cluster }) => {
  await using world = await openPoolWorld(cluster)
  await using _operator = world.operate({ FACILITATOR_IMAGE: 'svc:first' })
  const old = firstSponsor(world)
  const next = await addSponsor(world, 'next-sponsor', 100n)
  await world.apply({ channels: 2 })
  // Any contract will do: these pods are simulated.
  const upto = { contract: usdcContracts['stellar:testnet'] }
  await applyFacilitator(world, { upto, timeouts: { min: '10s', max: '10s' } })
  await world.until(
    (pool) => {
      isReady(pool)
      expect(pool?.status?.usedBy).toEqual(['payments'])
    },
    ...late,
  )
  await untilMounted(world, { name: old.name, step: 0 })

  await nameSponsor(world, next.name)
  expect(await mountsUntilDone(world, next.name)).toEqual([
    { [file('')]: old.name },
    { [file('')]: old.name, [file('next-')]: next.name },
    { [file('')]: next.name, [file('previous-')]: old.name },
    { [file('')]: next.name },
  ])
  expect((await onLedgerOf(world, old)).channels).toEqual([])
})
