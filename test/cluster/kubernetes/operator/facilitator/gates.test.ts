import { describe, expect, vi } from 'vitest'
import { NAME, patience, type Rig, test } from './rig.ts'

const DEPLOYMENT = `${NAME}-facilitator`
const deployment = async (rig: Rig) =>
  Object(await rig.get('apis/apps/v1', 'deployments', DEPLOYMENT))
const jobsOf = async (rig: Rig, component: string) =>
  (await rig.list('apis/batch/v1', 'jobs')).filter(
    ({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === component,
  )
const isReady = (rig: Rig) =>
  vi.waitFor(async () => {
    expect(await rig.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
    expect(await rig.condition('Progressing')).toMatchObject({ status: 'False' })
  }, patience)
const degradedBy = (rig: Rig, reason: string, message: RegExp) =>
  vi.waitFor(async () => {
    expect(await rig.condition('Degraded')).toMatchObject({ status: 'True', reason })
    expect(await rig.says(reason)).toMatch(message)
  }, patience)

describe.concurrent('nothing that cannot serve replaces what serves', { timeout: 120_000 }, () => {
  test('a wrong seed leaves the pods that serve, and says why; the old one needs no rollout', async ({
    rig,
  }) => {
    await rig.begin()
    await isReady(rig)
    expect(await jobsOf(rig, 'preflight')).toEqual([])
    const before = await deployment(rig)

    const problem = 'svc preflight: stellar:testnet: leasable-channels: the database has no channel'
    await rig.annotateNamespace({
      'fake-node.svc.dev/jobs': 'fail',
      'fake-node.svc.dev/message': problem,
    })
    const seed = (letter: string) => ({ secret: `S${letter.repeat(55)}` })
    await rig.secret('testnet-sponsor', seed('C'))
    await degradedBy(rig, 'PreflightFailed', new RegExp(`It ended with: ${problem}`))
    expect(await rig.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
    expect(Object(await rig.facilitator()).status.preflight).toMatchObject({
      state: 'Failed',
      attempt: 1,
    })
    expect((await deployment(rig)).metadata.generation).toBe(before.metadata.generation)

    await rig.secret('testnet-sponsor', seed('A'))
    await isReady(rig)
    await vi.waitFor(async () => {
      expect(await jobsOf(rig, 'preflight')).toEqual([])
      expect(await rig.condition('Degraded')).toMatchObject({ status: 'False' })
    }, patience)
    expect((await deployment(rig)).metadata.generation).toBe(before.metadata.generation)
    const sets = await rig.list('apis/apps/v1', 'replicasets')
    expect(sets).toHaveLength(1)
  })
})

describe.concurrent("the first install's usual mistakes are named with their cause", {
  timeout: 120_000,
}, () => {
  test('an image that cannot be pulled', async ({ rig }) => {
    await rig.annotateNamespace({ 'fake-node.svc.dev/jobs': 'image-pull-error' })
    await rig.begin()
    await degradedBy(
      rig,
      'PodsFailing',
      /^Pod payments-migrate-\S+ cannot run: (ErrImagePull|ImagePullBackOff)/,
    )
    await vi.waitFor(async () => {
      expect(Object(await rig.facilitator()).status.failingPods).toHaveLength(1)
    }, patience)
    expect(await rig.condition('Ready')).toMatchObject({ status: 'False', reason: 'PodsFailing' })
  })

  test('a selector that no node has, then a priority class that does not exist', async ({
    rig,
  }) => {
    await rig.begin({ podTemplate: { spec: { nodeSelector: { disk: 'none-has-it' } } } })
    await degradedBy(rig, 'PodsFailing', /cannot run: Unschedulable: 0\/3 nodes are available/)

    const missing = { nodeSelector: null, priorityClassName: 'no-such-class' }
    await rig.change({ spec: { podTemplate: { spec: missing } } })
    await degradedBy(rig, 'PodsFailing', /cannot create its pods: .*no-such-class/)
  })

  test('a quota', async ({ rig }) => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'small' },
      spec: { hard: { pods: '1' } },
    }
    const path = `/api/v1/namespaces/${rig.namespace}/resourcequotas`
    expect((await rig.cluster.request('POST', path, { body: quota })).status).toBe(201)
    await rig.begin()
    await degradedBy(
      rig,
      'PodsFailing',
      /^payments-facilitator cannot create its pods: .*exceeded quota: small/,
    )
  })
})
