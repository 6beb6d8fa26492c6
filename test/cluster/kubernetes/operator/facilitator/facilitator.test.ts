import { describe, expect, vi } from 'vitest'
import { kstatusOf } from '../../../../support/kstatus.ts'
import { IMAGE, NAME, patience, type Rig, test, withKeys } from './rig.ts'

const DEPLOYMENT = `${NAME}-facilitator`
const deployment = async (rig: Rig) =>
  Object(await rig.get('apis/apps/v1', 'deployments', DEPLOYMENT))

const isReady = (rig: Rig) =>
  vi.waitFor(async () => {
    expect(await rig.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
    expect(await rig.condition('Progressing')).toMatchObject({ status: 'False' })
  }, patience)

/** Lets every event that is under way arrive, and what it leads to be done. */
const calm = async (rig: Rig) => {
  let before = -1
  await vi.waitFor(
    async () => {
      const count = rig.proxy.calls.length
      const isQuiet = count === before
      before = count
      expect(isQuiet).toBe(true)
    },
    { timeout: 120_000, interval: 700 },
  )
}

describe.concurrent('a Facilitator', { timeout: 180_000 }, () => {
  test('becomes Ready, with all its objects', async ({ rig }) => {
    await rig.begin()
    await isReady(rig)

    const { status } = Object(await rig.facilitator())
    expect(status).toMatchObject({
      observedGeneration: 1,
      summary: { replicas: '2/2', networks: 'stellar:testnet' },
      url: `http://${DEPLOYMENT}.${rig.namespace}.svc`,
      image: IMAGE,
      migration: { state: 'Succeeded', image: IMAGE },
      parts: [{ name: 'Facilitator', deployment: DEPLOYMENT, wanted: 2, ready: 2, updated: 2 }],
    })
    expect(
      status.conditions.map(({ type, status: is }: Record<string, string>) => [type, is]),
    ).toEqual([
      ['Ready', 'True'],
      ['Progressing', 'False'],
      ['Degraded', 'False'],
      ['ChannelsFunded', 'True'],
      ['RpcReachable', 'True'],
      ['StoreReachable', 'True'],
      // These pods are simulated, so they try no payment.
      ['TermsPayable', 'Unknown'],
      ['PodTemplateAccepted', 'True'],
      ['Reconciling', 'False'],
      ['Stalled', 'False'],
    ])
    const events = await rig.list('apis/events.k8s.io/v1', 'events')
    const ours = events.filter((event) => Object(event).regarding.kind === 'Facilitator')
    expect(ours.length).toBeLessThanOrEqual(5)
  })

  test('tells once what was done to keep its settlement contract on the ledger, and when that fails', async ({
    rig,
  }) => {
    const contract = 'CDRPNQ4SJTF3L4XGAFIBTZBQUCWINRRQAERYMHZAFZTCPYNLYSQAE44R'
    const keeper = async (changes: { error?: string; last_transaction?: string }) => {
      const { db } = await rig.store()
      const key = { network: 'stellar:testnet', contract } as const
      const far = { term: 1n, lease_expires_at: new Date(), due_at: new Date() }
      const acted = { last_action: 'restore', last_action_at: new Date(1_790_000_000_000) } as const
      await db
        .insertInto('upto_keepers')
        .values({ ...key, ...far, ...acted, ...changes })
        .onConflict((conflict) => conflict.columns(['network', 'contract']).doUpdateSet(changes))
        .execute()
      rig.controller.enqueue(`${rig.namespace}/${NAME}`)
    }
    const uptoOf = async () => Object(await rig.facilitator()).status.networks[0].upto
    const eventsOf = async (reason: string) =>
      (await rig.list('apis/events.k8s.io/v1', 'events')).filter(
        (event) => Object(event).reason === reason,
      )
    await rig.begin({ networks: [{ channelPool: 'testnet', upto: { contract } }] })
    await isReady(rig)
    expect(await uptoOf()).toBeUndefined()

    const transaction = '1'.repeat(64)
    await keeper({ last_transaction: transaction })
    const restored = {
      contract,
      lastAction: 'Restore',
      transaction,
      actedAt: '2026-09-21T14:13:20.000Z',
    }
    await vi.waitFor(async () => expect(await uptoOf()).toEqual(restored), patience)
    await keeper({ error: 'it is gone: correct TESTNET_UPTO_CONTRACT' })
    await vi.waitFor(
      async () =>
        expect(await rig.condition('Degraded')).toMatchObject({
          status: 'True',
          reason: 'UptoKeeperFailed',
          message: expect.stringContaining(
            'it is gone: correct spec.networks[testnet].upto.contract',
          ),
        }),
      patience,
    )
    expect(await uptoOf()).toMatchObject({ transaction, error: expect.any(String) })
    await vi.waitFor(
      async () => expect(await eventsOf('UptoKeeperFailed')).toHaveLength(1),
      patience,
    )
    const [event, ...others] = await eventsOf('UptoContractRestored')
    expect(others).toEqual([])
    expect(Object(event)).toMatchObject({ type: 'Normal', regarding: { kind: 'Facilitator' } })
    expect(Object(event).note).toContain(transaction)
    expect(Object(event).series).toBeUndefined()
  })

  test('is scaled without replacing a pod', async ({ rig }) => {
    await rig.begin()
    await isReady(rig)
    await rig.change({ spec: { replicas: 3 } })
    await vi.waitFor(async () => {
      expect(Object(await rig.facilitator()).status.summary.replicas).toBe('3/3')
    }, patience)
    expect(await rig.list('apis/apps/v1', 'replicasets')).toHaveLength(1)
  })

  test('rolls out a new image after the migration', async ({ rig }) => {
    await rig.begin()
    await isReady(rig)
    await rig.annotateNamespace({ 'fake-node.svc.dev/jobs': 'not-ready' })
    await rig.change({ spec: { image: { repository: 'registry.example/x402', tag: '2' } } })
    await vi.waitFor(async () => {
      expect(await rig.condition('Progressing')).toMatchObject({
        status: 'True',
        reason: 'Migrating',
      })
      expect(await rig.list('apis/batch/v1', 'jobs')).toHaveLength(1)
    }, patience)
    const image = async () => (await deployment(rig)).spec.template.spec.containers[0].image
    expect(await image()).toBe(IMAGE)
    expect(await rig.condition('Ready')).toMatchObject({ status: 'True' })
    await rig.change({ spec: { replicas: 3 } })
    await vi.waitFor(async () => {
      expect((await deployment(rig)).spec.replicas).toBe(3)
    }, patience)
    expect(await image()).toBe(IMAGE)

    await rig.annotateNamespace({ 'fake-node.svc.dev/jobs': null })
    await vi.waitFor(async () => {
      expect(await image()).toBe('registry.example/x402:2')
    }, patience)
  })

  test('reports why a migration failed, and retries after a change', async ({ rig }) => {
    await rig.annotateNamespace({
      'fake-node.svc.dev/jobs': 'fail',
      'fake-node.svc.dev/message': 'svc migrate: the database does not answer',
    })
    await rig.begin()
    // The Job tries three times, with pauses that the cluster decides.
    const long = { timeout: 240_000, interval: 100 }
    await vi.waitFor(async () => {
      expect(await rig.condition('Ready')).toMatchObject({
        status: 'False',
        reason: 'MigrationFailed',
      })
    }, long)
    const says = await rig.says('MigrationFailed')
    expect(says).toContain('svc migrate: the database does not answer')
    expect(await rig.list('apis/apps/v1', 'deployments')).toEqual([])

    await rig.annotateNamespace({ 'fake-node.svc.dev/jobs': null })
    await rig.change({ spec: { image: { repository: 'registry.example/x402', tag: '2' } } })
    await isReady(rig)
  })

  test('rolls exactly once for a changed Secret, and not for API keys', async ({ rig }) => {
    await rig.secret('keys', { sha256: 'a'.repeat(64) })
    await rig.begin(withKeys)
    await isReady(rig)
    const { generation } = (await deployment(rig)).metadata

    const [old, young] = ['a'.repeat(64), 'b'.repeat(64)].map((digest) => `${digest};name=shop`)
    await rig.secret('keys', { sha256: `${old};until=2020-01-01T00:00:00Z\n${young}\n` })
    await calm(rig)
    expect((await deployment(rig)).metadata.generation).toBe(generation)
    expect(await rig.condition('Ready')).toMatchObject({ status: 'True' })

    await rig.secret('testnet-sponsor', { secret: `S${'B'.repeat(55)}` })
    await vi.waitFor(async () => {
      expect((await deployment(rig)).metadata.generation).toBe(generation + 1)
    }, patience)
    await calm(rig)
    expect((await deployment(rig)).metadata.generation).toBe(generation + 1)
    expect(await rig.list('apis/apps/v1', 'replicasets')).toHaveLength(2)
  })

  test('waits for a Secret, and continues once it exists', async ({ rig }) => {
    await rig.begin(withKeys)
    await vi.waitFor(async () => {
      expect(await rig.condition('Ready')).toMatchObject({
        status: 'False',
        reason: 'ApiKeysSecretMissing',
        message:
          'There is no Secret keys, key sha256, which spec.apiKeys.digestsSecretRef names: create it.',
      })
    }, patience)
    await rig.secret('keys', { sha256: 'a'.repeat(64) })
    await isReady(rig)
  })

  test('changes nothing while it is paused', async ({ rig }) => {
    await rig.begin()
    await isReady(rig)
    await rig.change({
      metadata: { annotations: { 'x402.svc.dev/paused': 'true' } },
      spec: { replicas: 4 },
    })
    await vi.waitFor(async () => {
      expect(await rig.condition('Progressing')).toMatchObject({
        status: 'Unknown',
        reason: 'Paused',
      })
    }, patience)
    expect((await deployment(rig)).spec.replicas).toBe(2)
    const paused = Object(await rig.facilitator())
    expect(paused.status.observedGeneration).toBe(paused.metadata.generation - 1)
    expect(kstatusOf(paused)).toBe('InProgress')
    // It still says what it sees.
    expect((await rig.condition('Ready'))['message']).toMatch(/^2 of 4 /)
    expect(await rig.says('Paused')).toMatch(/paused is true/)
    await rig.change({ metadata: { annotations: { 'x402.svc.dev/paused': null } } })
    await vi.waitFor(async () => {
      expect((await deployment(rig)).spec.replicas).toBe(4)
      expect(kstatusOf(Object(await rig.facilitator()))).toBe('Current')
    }, patience)
  })

  test('reverts changes of its fields by others, and keeps their other fields', async ({ rig }) => {
    await rig.begin()
    await isReady(rig)
    const path = `/apis/apps/v1/namespaces/${rig.namespace}/deployments/${DEPLOYMENT}`
    await rig.cluster.request('PATCH', path, {
      body: {
        metadata: { labels: { theirs: 'stays', 'app.kubernetes.io/managed-by': null } },
        spec: { replicas: 7 },
      },
      contentType: 'application/merge-patch+json',
    })
    const service = `/api/v1/namespaces/${rig.namespace}/services/${DEPLOYMENT}`
    await rig.cluster.request('DELETE', service)
    await vi.waitFor(async () => {
      const { metadata, spec } = await deployment(rig)
      expect(spec.replicas).toBe(2)
      expect(metadata.labels).toMatchObject({
        theirs: 'stays',
        'app.kubernetes.io/managed-by': 'stellar-x402-operator',
      })
      expect((await rig.cluster.request('GET', service)).status).toBe(200)
    }, patience)
  })

  test('creates what each part of the spec needs, and reports every part', async ({ rig }) => {
    await rig.begin({ catalog: { enabled: true }, explorer: { enabled: true, replicas: 2 } })
    await isReady(rig)
    const namesOf = async (group: string, plural: string) =>
      (await rig.list(group, plural)).map((object) => Object(object).metadata.name).toSorted()
    const parts = ['payments-catalog', 'payments-explorer', 'payments-facilitator']
    expect(await namesOf('apis/apps/v1', 'deployments')).toEqual(parts)
    expect(await namesOf('apis/policy/v1', 'poddisruptionbudgets')).toEqual(
      expect.arrayContaining(['payments-explorer']),
    )
    expect(await rig.condition('Degraded')).toMatchObject({ status: 'False' })
    expect(Object(await rig.facilitator()).status.parts).toMatchObject([
      { name: 'Facilitator' },
      { name: 'Catalog' },
      { name: 'Explorer' },
    ])
  })

  test('deletes objects that the spec no longer asks for, and all with the Facilitator', async ({
    rig,
  }) => {
    await rig.begin({ route: { hosts: ['pay.example.com'], ingressClassName: 'nginx' } })
    await isReady(rig)
    expect(await rig.list('apis/networking.k8s.io/v1', 'ingresses')).toHaveLength(1)
    expect(await rig.list('apis/policy/v1', 'poddisruptionbudgets')).toHaveLength(1)

    await rig.change({ spec: { replicas: 1, route: null } })
    await vi.waitFor(async () => {
      expect(await rig.list('apis/networking.k8s.io/v1', 'ingresses')).toEqual([])
      expect(await rig.list('apis/policy/v1', 'poddisruptionbudgets')).toEqual([])
    }, patience)

    await rig.cluster.request(
      'DELETE',
      `/apis/x402.svc.dev/v1beta1/namespaces/${rig.namespace}/facilitators/${NAME}`,
    )
    await vi.waitFor(async () => {
      for (const [api, plural] of [
        ['apis/apps/v1', 'deployments'],
        ['apis/batch/v1', 'jobs'],
        ['api/v1', 'services'],
        ['apis/networking.k8s.io/v1', 'networkpolicies'],
      ] as const) {
        expect(await rig.list(api, plural)).toEqual([])
      }
    }, patience)
  })
})
