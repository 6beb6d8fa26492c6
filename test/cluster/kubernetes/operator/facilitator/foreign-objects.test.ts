import { expect, vi } from 'vitest'
import { facilitatorManifest, type Json } from '../../../../support/api/manifests.ts'
import { NAME, patience, type Rig, test } from './rig.ts'

const CHILD = `${NAME}-facilitator`
const apis = {
  services: 'api/v1',
  configmaps: 'api/v1',
  deployments: 'apis/apps/v1',
} as const
type Plural = keyof typeof apis

const template = {
  metadata: { labels: { app: 'theirs' } },
  spec: { containers: [{ name: 'theirs', image: 'theirs' }] },
}
const contents = {
  services: { apiVersion: 'v1', kind: 'Service', spec: { ports: [{ name: 'theirs', port: 1 }] } },
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap', data: { theirs: 'kept' } },
  deployments: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: { replicas: 0, selector: { matchLabels: { app: 'theirs' } }, template },
  },
} as const

const collection = ({ namespace }: Rig, plural: Plural) =>
  `/${apis[plural]}/namespaces/${namespace}/${plural}`

async function create(rig: Rig, plural: Plural, name: string, metadata: Json = {}): Promise<Json> {
  const body = { ...contents[plural], metadata: { ...metadata, name } }
  const answer = await rig.cluster.request('POST', collection(rig, plural), { body })
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}
const read = async (rig: Rig, plural: Plural, name: string) =>
  Object(await rig.get(apis[plural], plural, name))

const isRefused = (rig: Rig, what: string) =>
  vi.waitFor(async () => {
    expect(await rig.condition('Degraded')).toMatchObject({
      status: 'True',
      reason: 'ChildNotOurs',
    })
    expect(await rig.says('ChildNotOurs')).toContain(what)
    expect(await rig.condition('Stalled')).toMatchObject({ status: 'True' })
  }, patience)

/** It tried to create the object, and the server refused that. */
const isTried = (rig: Rig, plural: Plural) =>
  vi.waitFor(() => {
    const answers = rig.proxy.calls.filter(({ resource }) => resource === plural)
    expect(answers.map(({ status }) => status)).toContain(409)
  }, patience)

const facilitators = ({ namespace }: Rig) =>
  `/apis/x402.svc.dev/v1beta1/namespaces/${namespace}/facilitators`

async function remove(rig: Rig): Promise<void> {
  await rig.cluster.request('DELETE', `${facilitators(rig)}/${NAME}`)
  await vi.waitFor(async () => {
    expect(await rig.list('apis/batch/v1', 'jobs')).toEqual([])
    expect(await rig.list('apis/networking.k8s.io/v1', 'networkpolicies')).toEqual([])
  }, patience)
}

test("a team's Service, Deployment and ConfigMap of the same name stay theirs, also after the Facilitator is deleted", async ({
  rig,
}) => {
  await rig.begin()
  const configMap = await vi.waitFor(async () => {
    const maps = await rig.list('api/v1', 'configmaps')
    const ours = maps.find(({ metadata }) => metadata.name.startsWith(CHILD))
    expect(ours?.metadata.name).toMatch(/-[0-9a-f]{8}$/)
    return ours?.metadata.name ?? ''
  }, patience)
  await remove(rig)
  const theirs = [
    ['services', CHILD],
    ['deployments', CHILD],
    ['configmaps', configMap],
  ] as const
  const before: Json[] = []
  for (const [plural, name] of theirs) before.push(await create(rig, plural, name))

  const again = await rig.cluster.request('POST', facilitators(rig), {
    body: { ...facilitatorManifest({}, { name: NAME }) },
  })
  expect(again.status, again.text).toBe(201)
  await isRefused(rig, `Service ${CHILD}`)
  // After the migration.
  await isTried(rig, 'configmaps')
  const unchanged = async () => {
    for (const [at, [plural, name]] of theirs.entries()) {
      const { metadata, spec, data } = await read(rig, plural, name)
      const first = Object(before[at])
      expect([metadata.uid, metadata.ownerReferences]).toEqual([first.metadata.uid, undefined])
      expect([metadata.labels, data]).toEqual([undefined, first.data])
      expect(spec).toEqual(first.spec)
    }
  }
  await unchanged()
  await remove(rig)
  await unchanged()
})

test('an object that is in the way costs no request at every pass', async ({ rig }) => {
  await create(rig, 'services', CHILD)
  const theirs = await create(rig, 'deployments', CHILD)
  await rig.begin()
  await isRefused(rig, `Service ${CHILD}`)
  await isTried(rig, 'deployments')
  expect((await read(rig, 'deployments', CHILD)).spec).toEqual(theirs['spec'])
  rig.proxy.forget()
  for (let pass = 0; pass < 5; pass++) {
    rig.controller.enqueue(`${rig.namespace}/${NAME}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await rig.change({ spec: { serviceFeePerSettlementUsd: '0.002' } })
  await vi.waitFor(async () => {
    expect(Object(await rig.facilitator()).status.observedGeneration).toBe(2)
  }, patience)
  expect(rig.proxy.calls.filter(({ resource }) => resource === 'services')).toEqual([])
})

test('an object that an administrator offers is taken over', async ({ rig }) => {
  const annotations = { 'x402.svc.dev/adopt-by': NAME }
  const { metadata } = await create(rig, 'services', CHILD, { annotations })
  await rig.begin()
  await vi.waitFor(async () => {
    const service = await read(rig, 'services', CHILD)
    expect(service.metadata.uid).toBe(Object(metadata).uid)
    expect(service.metadata.ownerReferences).toMatchObject([{ name: NAME, controller: true }])
  }, patience)
})

test('does not take over an object of another controller', async ({ rig }) => {
  const { cluster, namespace } = rig
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } }
  const made = await cluster.request('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
    body: owner,
  })
  const { uid } = Object(made.body['metadata'])
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true }
  await create(rig, 'services', CHILD, { ownerReferences: [reference] })
  await rig.begin()
  await isRefused(rig, `Service ${CHILD} belongs to ConfigMap owner`)
  expect((await read(rig, 'services', CHILD)).spec.ports).toMatchObject([{ port: 1 }])
})
