import { describe, expect, vi } from 'vitest'
import { causeOf } from '../../../../../src/kubernetes/crd/fields/cause.ts'
import { channelSecretOf } from '../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import type { Json } from '../../../../support/api/manifests.ts'
import { writtenSponsors } from '../../../../support/api/sponsors.ts'
import { startApiProxy } from '../../../support/api-proxy.ts'
import { test } from '../../../support/cluster-test.ts'
import { condition, openPoolWorld, type PoolWorld } from './pool-world.ts'

const limits = { timeout: 180_000 }
const patience = { timeout: 60_000, interval: 100 }

const sponsorOf = ({ sponsor }: PoolWorld): Json => ({
  ...writtenSponsors.pkcs11,
  address: sponsor.address,
})
const nameOf = ({ sponsor }: PoolWorld, pool = 'testnet'): string =>
  channelSecretOf({ metadata: { name: pool } }, { address: sponsor.address })?.name ?? ''

async function secretOf(world: PoolWorld, name = nameOf(world)) {
  const answer = await world.cluster.request(
    'GET',
    `/api/v1/namespaces/${world.namespace}/secrets/${name}`,
  )
  return answer.status === 200 ? Object(answer.body) : undefined
}

/** Each sentence stands in one condition. */
const says = (pool: Awaited<ReturnType<PoolWorld['get']>>, reason: string) =>
  causeOf(pool?.status?.conditions, reason)?.message

const isBlockedBy = (reason: string) => (pool: Awaited<ReturnType<PoolWorld['get']>>) =>
  expect(condition(pool, 'Degraded')).toMatchObject({ reason })

describe.concurrent('a ChannelPool whose sponsor has its key in no Secret', limits, () => {
  test('gets a Secret for the keys of its channels, once and for all', async ({ cluster }) => {
    await using world = await openPoolWorld(cluster)
    await world.secret('hsm', { pin: '1234' })
    await using first = world.operate({ SIGNER_NAMESPACES: world.namespace })
    await world.apply({ channels: 2, sponsor: sponsorOf(world) })
    const { metadata, immutable, data } = await vi.waitFor(async () => {
      const secret = await secretOf(world)
      expect(secret).toBeDefined()
      return secret
    }, patience)
    expect(metadata.ownerReferences).toBeUndefined()
    expect(metadata.labels).toMatchObject({ 'x402.svc.dev/channel-pool': 'testnet' })
    expect(immutable).toBe(true)
    await world.until(isBlockedBy('SignerUnreachable'))
    const pool = await world.get()
    expect(condition(pool, 'SignerReachable')).toMatchObject({ status: 'False' })
    expect(condition(pool, 'SignerKeyMatches')).toMatchObject({ status: 'Unknown' })

    first.kill('SIGTERM')
    await first.exited
    await using second = world.operate({ SIGNER_NAMESPACES: world.namespace })
    await world.patch({ spec: { channels: 3 } })
    await world.until((seen) => expect(seen?.status?.observedGeneration).toBe(2))
    // Its channels would stay on the ledger.
    await world.delete()
    await world.until((seen) => expect(seen).toBeUndefined())
    await world.apply({ channels: 2, sponsor: sponsorOf(world) })
    await world.until(isBlockedBy('SignerUnreachable'))
    const again = await secretOf(world)
    expect([again.metadata.uid, again.data]).toEqual([metadata.uid, data])
    expect(second.pid).toBeGreaterThan(0)
  })

  test('is not managed while what asks the signer is missing, or the address is wrong', async ({
    cluster,
  }) => {
    await using world = await openPoolWorld(cluster)
    await using _ = world.operate({ SIGNER_NAMESPACES: world.namespace })
    await world.apply({ channels: 1, sponsor: sponsorOf(world) })
    const missing = await world.until(isBlockedBy('SignerSecretMissing'))
    expect(says(missing, 'SignerSecretMissing')).toBe(
      'There is no Secret hsm, key pin, which spec.sponsor.pkcs11.pinSecretRef names, or it is empty: create it.',
    )
    expect(await secretOf(world)).toBeUndefined()
    await world.secret('hsm', { pin: '1234' })
    await world.until(isBlockedBy('SignerUnreachable'))

    const other = writtenSponsors.pkcs11.address
    await world.apply(
      { channels: 1, sponsor: { address: other, secretRef: { name: 'testnet-sponsor' } } },
      'mismatch',
    )
    const mismatch = await world.until(isBlockedBy('SponsorKeyMismatch'), 'mismatch')
    expect(condition(mismatch, 'SignerKeyMatches')).toMatchObject({ status: 'False' })
    const sponsor = { ...sponsorOf(world), address: `G${'A'.repeat(55)}` }
    await world.apply({ channels: 1, sponsor }, 'typo')
    await world.until(isBlockedBy('SponsorAddressInvalid'), 'typo')
  })

  test("may not sign with what is the operator's own, unless its namespace is allowed to", async ({
    cluster,
  }) => {
    await using world = await openPoolWorld(cluster)
    await world.secret('hsm', { pin: '1234' })
    await using _ = world.operate({ SIGNER_NAMESPACES: 'another' })
    const { address } = world.sponsor
    const { pkcs11, vault, socket } = writtenSponsors
    const { vault: transit } = vault
    const { caSecretRef: _ca, ...publicVault } = transit
    const sponsors = { hsm: pkcs11, vault: { vault: publicVault }, socket }
    for (const [name, sponsor] of Object.entries(sponsors)) {
      await world.apply({ channels: 1, sponsor: { ...sponsor, address } }, name)
      const pool = await world.until(isBlockedBy('SignerDenied'), name)
      expect(says(pool, 'SignerDenied')).toContain('add it to signers.namespaces of its chart')
      expect(await secretOf(world, nameOf(world, name))).toBeUndefined()
    }
  })

  test('needs no right to a Secret with a seed, and says what to do without the right to create one', async ({
    cluster,
  }) => {
    await using world = await openPoolWorld(cluster)
    await world.secret('hsm', { pin: '1234' })
    const { namespace } = world
    const named = [nameOf(world), 'hsm', 'x402-database']
    const token = await restricted(world, named)
    await using proxy = await startApiProxy(cluster.kubeconfigPath)
    const kubeconfig = await proxy.kubeconfigFor(token)
    await using _ = world.operate(
      { SECRETS_WATCH: 'false', SIGNER_NAMESPACES: namespace },
      kubeconfig,
    )
    await world.apply({ channels: 1, sponsor: sponsorOf(world) })
    const stopped = await world.until(isBlockedBy('ChannelSecretMissing'))
    expect(says(stopped, 'ChannelSecretMissing')).toContain(
      `There is no Secret ${nameOf(world)}, key secret, for the channels of sponsor ${world.sponsor.address}, and the operator may not create it: grant it the right (secrets.create of the chart)`,
    )
    await cluster.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify(
        role(namespace, 'create', [{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }]),
      ),
    })
    await world.until(isBlockedBy('SignerUnreachable'), 'testnet', patience)
    expect((await secretOf(world))?.immutable).toBe(true)
    const asked = proxy.calls
      .filter(({ resource }) => resource === 'secrets')
      .map(({ path }) => path)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter((path) => path.includes('testnet-sponsor'))).toEqual([])
  })
})

/** A ServiceAccount `narrow` that may do all that an operator does, and of Secrets read and change these alone; its token. */
async function restricted({ cluster, namespace }: PoolWorld, named: readonly string[]) {
  const rules = [
    { apiGroups: ['x402.svc.dev'], resources: ['*'], verbs: ['*'] },
    { apiGroups: ['events.k8s.io', 'coordination.k8s.io'], resources: ['*'], verbs: ['*'] },
    {
      apiGroups: ['', 'apps', 'batch', 'policy', 'networking.k8s.io', 'autoscaling'],
      resources: [
        ...['pods', 'configmaps', 'services', 'serviceaccounts', 'deployments', 'jobs'],
        ...['poddisruptionbudgets', 'networkpolicies', 'ingresses', 'horizontalpodautoscalers'],
      ],
      verbs: ['list', 'watch'],
    },
    { apiGroups: [''], resources: ['secrets'], resourceNames: [...named], verbs: ['get', 'patch'] },
  ]
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'narrow', namespace },
  }
  const items = [account, ...role(namespace, 'narrow', rules).items]
  await cluster.kubectl(['apply', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  })
  return (await cluster.kubectl(['create', 'token', 'narrow', '-n', namespace])).trim()
}

function role(namespace: string, name: string, rules: readonly Json[]) {
  const [rbac, apiVersion] = ['rbac.authorization.k8s.io', 'rbac.authorization.k8s.io/v1']
  const metadata = { name, namespace }
  const items = [
    { apiVersion, kind: 'Role', metadata, rules },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name: 'narrow', namespace }],
    },
  ]
  return { apiVersion: 'v1', kind: 'List', items }
}
