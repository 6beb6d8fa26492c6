/** States of Facilitators that need the API server; docs/states.md has all. */
import { describe, expect, vi } from 'vitest'
import { facilitatorManifest, type Json } from '../../../../support/api/manifests.ts'
import { objectsIn } from '../../crd/objects.ts'
import { NAME, patience, type Rig, test } from './rig.ts'

const SERVICE = `${NAME}-facilitator`

const services = ({ namespace }: Rig) => `/api/v1/namespaces/${namespace}/services`
const statusOf = async (rig: Rig) => Object(await rig.facilitator()).status ?? {}

/** Another Facilitator of the namespace. */
const second = (rig: Rig) => {
  const objects = objectsIn(rig.cluster, rig.namespace)
  const named = { kind: 'Facilitator', metadata: { name: 'second' } } as const
  const conditions = async (): Promise<readonly Json[]> =>
    Object((await objects.get(named)).body).status?.conditions ?? []
  return {
    create: () => objects.create(facilitatorManifest({}, { name: 'second' })),
    change: async (body: Json) => {
      expect((await objects.patch(named, body)).status).toBe(200)
    },
    condition: async (type: string) =>
      (await conditions()).find((condition) => condition['type'] === type) ?? {},
  }
}

const jobsOf = async (rig: Rig, facilitator: string, component: string) =>
  (await rig.list('apis/batch/v1', 'jobs')).filter(
    ({ metadata: { labels = {} } }) =>
      labels['x402.svc.dev/facilitator'] === facilitator &&
      labels['app.kubernetes.io/component'] === component,
  )

describe.concurrent('a Facilitator', { timeout: 150_000 }, () => {
  test("N6: is not Ready with somebody else's Service, and names no address", async ({ rig }) => {
    const body = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: SERVICE },
      spec: { ports: [{ name: 'theirs', port: 1 }] },
    }
    expect((await rig.cluster.request('POST', services(rig), { body })).status).toBe(201)
    await rig.begin()
    await vi.waitFor(async () => {
      expect((await statusOf(rig)).summary?.replicas).toBe('2/2')
      expect(await rig.condition('Ready')).toMatchObject({
        status: 'False',
        reason: 'ChildNotOurs',
      })
    }, patience)
    const status = await statusOf(rig)
    expect(status).not.toHaveProperty('url')
    expect(await rig.condition('Stalled')).toMatchObject({ status: 'True' })
  })

  test('N5: is Ready while its pool is being deleted and serves', async ({ rig }) => {
    await rig.begin()
    await vi.waitFor(async () => {
      expect(await rig.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
    }, patience)
    const pool = `/apis/x402.svc.dev/v1beta1/namespaces/${rig.namespace}/channelpools/testnet`
    const { status = {} } = Object((await rig.cluster.request('GET', pool)).body)
    const blocked = {
      type: 'Degraded',
      status: 'True',
      reason: 'DeletionBlocked',
      message: `Facilitator ${NAME} still uses this pool.`,
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 1,
    }
    const written = await rig.cluster.request('PATCH', `${pool}/status`, {
      body: { status: { conditions: [...status.conditions, blocked] } },
      contentType: 'application/merge-patch+json',
    })
    expect(written.status, written.text).toBe(200)
    await vi.waitFor(async () => {
      expect(await rig.condition('Degraded')).toMatchObject({
        status: 'True',
        reason: 'PoolDegraded',
        message: expect.stringContaining(blocked.message),
      })
    }, patience)
    expect(await rig.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
    await rig.cluster.request('DELETE', pool)
    await vi.waitFor(async () => {
      expect(await rig.condition('Ready')).toMatchObject({
        status: 'Unknown',
        reason: 'PoolMissing',
      })
    }, patience)
  })

  test('N1: says that it is held by a failure of its namespace, and a change of its spec goes first', async ({
    rig,
  }) => {
    const other = second(rig)
    await rig.begin()
    await other.create()
    const isWell = async () => {
      expect(await rig.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
      expect(await other.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
      expect(await rig.condition('Progressing')).toMatchObject({ status: 'False' })
      expect(await other.condition('Progressing')).toMatchObject({ status: 'False' })
    }
    await vi.waitFor(isWell, patience)

    await rig.annotateNamespace({ 'fake-node.svc.dev/jobs': 'fail' })
    await rig.secret('testnet-sponsor', { secret: `S${'C'.repeat(55)}` })
    const [first, held] = await vi.waitFor(async () => {
      const both = [rig, other] as const
      const reasons = await Promise.all(
        both.map(async (each) => (await each.condition('Degraded'))['reason']),
      )
      expect(reasons.toSorted()).toEqual(['PreflightFailed', 'RolloutHeld'])
      return reasons[0] === 'RolloutHeld' ? [other, rig] : [rig, other]
    }, patience)
    const nameOf = (which: unknown) => (which === rig ? NAME : 'second')
    expect(await held.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
    expect(await held.condition('Stalled')).toMatchObject({ status: 'True', reason: 'RolloutHeld' })
    expect(await held.condition('Degraded')).toMatchObject({
      message: expect.stringContaining(`kubectl svc status ${nameOf(first)}`),
    })
    await vi.waitFor(async () => {
      const events = await rig.list('apis/events.k8s.io/v1', 'events')
      const found = events.map((event) => {
        const { reason, type, regarding } = Object(event)
        return [type, reason, regarding.name]
      })
      expect(found).toContainEqual(['Warning', 'RolloutHeld', nameOf(held)])
    }, patience)

    expect(await jobsOf(rig, nameOf(held), 'preflight')).toEqual([])
    await held.change({ spec: { logLevel: 'Debug' } })
    await vi.waitFor(async () => {
      expect(await jobsOf(rig, nameOf(held), 'preflight')).toHaveLength(1)
    }, patience)
  })
})
