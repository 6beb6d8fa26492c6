import { describe, expect, vi } from 'vitest'
import { writeHeartbeats } from '../../../../../src/payments/store/replica-heartbeats.ts'
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

describe.concurrent('nothing that cannot serve replaces what serves', { timeout: 240_000 }, () => {
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

describe.concurrent('N2: settings under which nothing can be paid', { timeout: 240_000 }, () => {
  const tooDear = (ceiling: number) =>
    `each payment is refused that costs more than the ${ceiling} stroops of MAX_TX_FEE_STROOPS (fees.maxTxFeeStroops), and the least is 33231 by exact in USDC`
  const remedy = 'raise MAX_TX_FEE_STROOPS (fees.maxTxFeeStroops) to 67000'
  /** As the condition has it: whoever reads it sets fields, not variables. */
  const inItsFields = (said: string) =>
    said.replaceAll(
      'MAX_TX_FEE_STROOPS (fees.maxTxFeeStroops)',
      'spec.networks[testnet].fees.maxTxFeeStroops',
    )
  const fee = (maxTxFeeStroops: string) => ({
    spec: { networks: [{ channelPool: 'testnet', fees: { maxTxFeeStroops } }] },
  })

  test('replace no pods that serve, and the condition has the value that would do', async ({
    rig,
  }) => {
    await rig.begin()
    await isReady(rig)
    const before = await deployment(rig)
    const problem = `svc preflight: stellar:testnet: trial-payments: ${tooDear(20_000)}: ${remedy}`
    await rig.annotateNamespace({
      'fake-node.svc.dev/jobs': 'fail',
      'fake-node.svc.dev/message': problem,
    })
    await rig.change(fee('20000'))
    await degradedBy(rig, 'PreflightFailed', /It ended with: svc preflight: stellar:testnet: trial/)
    expect((await rig.condition('Degraded'))['message']).toContain(
      `new pods could not settle. It ended with: ${inItsFields(problem)}. The pods that serve stay as they are.`,
    )
    expect(await rig.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
    expect((await deployment(rig)).metadata.generation).toBe(before.metadata.generation)

    await rig.annotateNamespace({
      'fake-node.svc.dev/jobs': null,
      'fake-node.svc.dev/message': null,
    })
    await rig.change(fee('67000'))
    await vi.waitFor(async () => {
      expect(await rig.condition('Degraded')).toMatchObject({ status: 'False' })
      expect((await deployment(rig)).metadata.generation).toBeGreaterThan(
        before.metadata.generation,
      )
    }, patience)
    await isReady(rig)
  })

  test('are a condition of pods that run so already, by what they write to the database', async ({
    rig,
  }) => {
    await rig.begin()
    await isReady(rig)
    expect(await rig.condition('TermsPayable')).toMatchObject({
      status: 'Unknown',
      reason: 'NotTried',
    })
    const { db } = await rig.store()
    const write = async (state: 'Invalid' | 'Tried', message: string) => {
      const pods = await rig.list('api/v1', 'pods')
      const names = pods
        .map(({ metadata: { name } }) => name)
        .filter((name) => name.startsWith(DEPLOYMENT))
      expect(names.length).toBeGreaterThan(0)
      for (const name of names) {
        const terms = { state, message }
        const beat = { network: 'stellar:testnet', sponsor: 'GSPONSOR', terms } as const
        await writeHeartbeats(db, `${name}/1`, [beat])
      }
      // Pods of another Facilitator in the same database do not count.
      await writeHeartbeats(db, 'shop-facilitator-1/1', [
        {
          network: 'stellar:testnet',
          sponsor: 'GSPONSOR',
          terms: { state: 'NotTried', message: 'not mine' },
        },
      ])
    }
    /** A pass reads them. */
    const pass = (label: string) =>
      rig.change({ metadata: { annotations: { 'x402.svc.dev/paused': label } } })
    await write('Invalid', `${tooDear(20_000)}: ${remedy}`)
    await pass('false')
    const message = inItsFields(`stellar:testnet: ${tooDear(20_000)}: ${remedy}.`)
    await vi.waitFor(async () => {
      expect(await rig.condition('TermsPayable')).toMatchObject({
        status: 'False',
        reason: 'TermsInvalid',
        message: 'About TermsPayable: condition Degraded says more.',
      })
    }, patience)
    expect(await rig.condition('Degraded')).toMatchObject({ status: 'True', message })

    await write('Tried', '')
    await pass('no')
    await vi.waitFor(async () => {
      expect(await rig.condition('TermsPayable')).toMatchObject({
        status: 'True',
        reason: 'TermsTried',
      })
      expect(await rig.condition('Degraded')).toMatchObject({ status: 'False' })
    }, patience)
  })
})

describe.concurrent("the first install's usual mistakes are named with their cause", {
  timeout: 240_000,
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
