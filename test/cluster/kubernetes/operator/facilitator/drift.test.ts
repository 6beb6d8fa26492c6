import { describe, expect, vi } from 'vitest'
import { facilitatorManifest } from '../../../../support/api/manifests.ts'
import { NAME, patience, type Rig, test } from './rig.ts'

const DEPLOYMENT = `${NAME}-facilitator`
const RESTARTED = 'kubectl.kubernetes.io/restartedAt'

const deployment = async (rig: Rig) =>
  Object(await rig.get('apis/apps/v1', 'deployments', DEPLOYMENT))
const templateOf = async (rig: Rig) => (await deployment(rig)).spec?.template

const exists = (rig: Rig) =>
  vi.waitFor(async () => {
    const containers: { name: string }[] = (await templateOf(rig))?.spec.containers ?? []
    expect(containers.map(({ name }) => name)).toEqual(['facilitator'])
  }, patience)

const kubectl = (rig: Rig, ...args: string[]) => rig.cluster.kubectl(['-n', rig.namespace, ...args])

/** A person adds what would run beside the seeds, in each way that kubectl offers. */
const miner = {
  template: {
    spec: {
      hostNetwork: true,
      containers: [
        { name: 'miner', image: 'miner' },
        { name: 'facilitator', volumeMounts: [{ name: 'more', mountPath: '/more' }] },
      ],
      volumes: [
        { name: 'more', emptyDir: {} },
        { name: 'tmp', emptyDir: null, hostPath: { path: '/' } },
      ],
    },
  },
}

describe.concurrent('what kubectl adds to the pods of a Facilitator', () => {
  test('is taken back wholly, and a restart by kubectl is kept', {
    timeout: 240_000,
  }, async ({ rig }) => {
    await rig.begin()
    await exists(rig)
    const before = await templateOf(rig)

    await kubectl(rig, 'set', 'env', `deployment/${DEPLOYMENT}`, 'HOST=evil', 'PORT=1')
    await vi.waitFor(async () => expect(await templateOf(rig)).toEqual(before), patience)

    const patch = JSON.stringify({ spec: miner })
    await kubectl(rig, 'patch', 'deployment', DEPLOYMENT, '-p', patch)
    await vi.waitFor(async () => expect(await templateOf(rig)).toEqual(before), patience)

    await kubectl(rig, 'rollout', 'restart', `deployment/${DEPLOYMENT}`)
    await kubectl(rig, 'set', 'env', `deployment/${DEPLOYMENT}`, 'HOST=evil')
    await vi.waitFor(async () => {
      const { metadata, spec } = await templateOf(rig)
      expect(spec).toEqual(before.spec)
      const { [RESTARTED]: restartedAt, ...annotations } = metadata.annotations
      expect(restartedAt).toMatch(/^\d{4}-\d\d-\d\dT/)
      expect(annotations).toEqual(before.metadata.annotations)
    }, patience)

    const policy = `networkpolicy/${NAME}-default-deny`
    const select = '{"spec":{"podSelector":{"matchLabels":{"app":"other"}}}}'
    await kubectl(rig, 'patch', policy, '-p', select)
    await vi.waitFor(async () => {
      const live = Object(
        await rig.get('apis/networking.k8s.io/v1', 'networkpolicies', `${NAME}-default-deny`),
      )
      expect(live.spec.podSelector.matchLabels).not.toHaveProperty('app')
    }, patience)
  })

  test('costs no further write where it only states the defaults of the API server', {
    timeout: 240_000,
  }, async ({ rig }) => {
    await rig.begin()
    await exists(rig)
    const { spec } = await templateOf(rig)
    // A tool that applies the whole object becomes owner of the defaults too.
    const whole = JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: DEPLOYMENT },
      spec: { template: { spec } },
    })
    rig.proxy.forget()
    const forced = ['--server-side', '--force-conflicts', '--field-manager=other', '-f', '-']
    await rig.cluster.kubectl(['-n', rig.namespace, 'apply', ...forced], { input: whole })
    const { metadata } = await deployment(rig)
    // It tries once, and finds that the server fills them in again.
    const tries = () => rig.writes().filter(({ resource }) => resource === 'deployments').length
    await vi.waitFor(() => expect(tries()).toBe(2), patience)

    rig.proxy.forget()
    // Changes of the status and of other fields make the operator compare again.
    await kubectl(rig, 'label', 'deployment', DEPLOYMENT, 'example.com/note=1')
    rig.controller.enqueue(`${rig.namespace}/${NAME}`)
    await rig.change({ spec: { replicas: 3 } })
    await vi.waitFor(async () => {
      expect((await deployment(rig)).spec.replicas).toBe(3)
    }, patience)
    expect(tries()).toBeLessThanOrEqual(2)
    expect((await deployment(rig)).metadata.generation).toBe(metadata.generation + 1)
  })
})

test('a template that OpenShift accepts survives kubectl apply, which drops members that are null', async ({
  rig,
}) => {
  await rig.begin()
  const securityContext = {
    $patch: 'replace',
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  }
  const manifest = facilitatorManifest(
    { podTemplate: { spec: { securityContext } } },
    { name: NAME },
  )
  await rig.cluster.kubectl(['-n', rig.namespace, 'apply', '-f', '-'], {
    input: JSON.stringify(manifest),
  })
  const { $patch: _, ...rendered } = securityContext
  await vi.waitFor(async () => {
    expect((await templateOf(rig))?.spec.securityContext).toEqual(rendered)
    expect(await rig.condition('PodTemplateAccepted')).toMatchObject({ status: 'True' })
  }, patience)
})
