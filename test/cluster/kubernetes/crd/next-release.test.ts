import { afterAll, describe, expect } from 'vitest'
import { customResourceDefinition } from '../../../../src/kubernetes/crd/definitions/crd.ts'
import { toYaml } from '../../../../src/kubernetes/crd/definitions/yaml.ts'
import { type KindName, kinds, VERSION } from '../../../../src/kubernetes/crd/names/group.ts'
import { addFinalizer } from '../../../../src/kubernetes/runtime/apply/finalizers.ts'
import { createStatusWriter } from '../../../../src/kubernetes/runtime/apply/status-writer.ts'
import type {
  KubeObject,
  ResourceType,
} from '../../../../src/kubernetes/runtime/objects/resource.ts'
import { facilitatorManifest, type Json, poolManifest } from '../../../support/api/manifests.ts'
import { NEXT_VERSION, nextDefinition } from '../../../support/api/next-definition.ts'
import { sampleObjects } from '../../../support/api/samples.ts'
import type { Cluster } from '../../support/cluster.ts'
import { test as clusterTest } from '../../support/cluster-test.ts'
import { clientFor } from '../runtime/support/client-for.ts'

/* The present definitions, and after them those of an invented next release, under a group of their own. */

const GROUP = 'next.x402.svc.dev'
const kindNames = Object.keys(kinds) as KindName[]

/** Under other names, without short ones: `kubectl get fac` of other tests must not find these. */
const pluralOf = (kind: KindName): string => `next${kinds[kind].plural}`
const moved = (kind: KindName, definition: ReturnType<typeof customResourceDefinition>) => ({
  ...definition,
  metadata: { name: `${pluralOf(kind)}.${GROUP}` },
  spec: {
    ...definition.spec,
    group: GROUP,
    names: { kind: `Next${kind}`, plural: pluralOf(kind) },
  },
})

interface Applied {
  readonly kind: KindName
  readonly name: string
  readonly spec: Json
}

/** An object of the group, as text for kubectl. */
const textOf = ({ kind, name, spec }: Applied, version: string = VERSION): string =>
  toYaml({ apiVersion: `${GROUP}/${version}`, kind: `Next${kind}`, metadata: { name }, spec })

const serverSide = (manager: string) => ['--server-side', `--field-manager=${manager}`]
const sideOf = ({ name }: Applied): readonly string[] =>
  name.endsWith('server') ? serverSide('gitops') : []

const specOfSample = (kind: KindName): Json =>
  Object(sampleObjects('full').findLast((object) => object.kind === kind)).spec
const forms: Readonly<Record<KindName, Readonly<Record<string, Json>>>> = {
  Facilitator: { small: facilitatorManifest().spec, full: specOfSample('Facilitator') },
  ChannelPool: { small: poolManifest().spec, full: specOfSample('ChannelPool') },
}
const all: readonly Applied[] = kindNames.flatMap((kind) =>
  Object.entries(forms[kind]).flatMap(([form, spec]) =>
    ['client', 'server'].map((side) => ({ kind, name: `${form}-${side}`, spec })),
  ),
)

function objectsOf(cluster: Cluster, namespace: string) {
  const path = ({ kind, name }: Omit<Applied, 'spec'>, version: string) =>
    `/apis/${GROUP}/${version}/namespaces/${namespace}/${pluralOf(kind)}/${name}`
  return {
    apply: (text: string, ...more: readonly string[]) =>
      cluster.kubectl(['apply', '-n', namespace, ...more, '-f', '-'], { input: text }),
    read: async (each: Omit<Applied, 'spec'>, version: string = VERSION) => {
      const { status, body, text } = await cluster.request('GET', path(each, version))
      if (status !== 200) throw new Error(`it cannot be read: ${text}`)
      return body
    },
    /** As a program of the next release, which is a field manager of its own. */
    patchNext: async (each: Applied, body: Json, subresource = '') => {
      const target = `${path(each, NEXT_VERSION)}${subresource}?fieldManager=next`
      const contentType = 'application/merge-patch+json'
      const { status, text } = await cluster.request('PATCH', target, { body, contentType })
      expect(status, text).toBe(200)
    },
  }
}

async function define(cluster: Cluster, definitions: readonly Json[]): Promise<void> {
  const input = definitions.map((each) => toYaml(each)).join('---\n')
  await cluster.kubectl(['apply', '--server-side', '-f', '-'], { input })
  const names = kindNames.map((kind) => `crd/${pluralOf(kind)}.${GROUP}`)
  await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...names])
}

/** Stores objects under the present definitions, then applies the next ones. */
async function upgrade(cluster: Cluster) {
  const namespace = await cluster.namespace('next')
  const objects = objectsOf(cluster, namespace.name)
  await define(
    cluster,
    kindNames.map((kind) => moved(kind, customResourceDefinition(kind))),
  )
  for (const each of all) await objects.apply(textOf(each), ...sideOf(each))
  const before = new Map(
    await Promise.all(all.map(async (each) => [each, await objects.read(each)] as const)),
  )
  await define(
    cluster,
    kindNames.map((kind) => moved(kind, nextDefinition(kind))),
  )
  // The API server serves a new version a moment after it has accepted the definition.
  for (const kind of kindNames) {
    const path = `/apis/${GROUP}/${NEXT_VERSION}/namespaces/${namespace.name}/${pluralOf(kind)}`
    const statusOf = async () => (await cluster.request('GET', path)).status
    await expect.poll(statusOf, { timeout: 120_000, interval: 50 }).toBe(200)
  }
  return { cluster, namespace, objects, before }
}

let running: ReturnType<typeof upgrade> | undefined
const test = clusterTest.extend<{ upgraded: Awaited<ReturnType<typeof upgrade>> }>({
  upgraded: async ({ cluster }, use) => {
    running ??= upgrade(cluster)
    await use(await running)
  },
})

afterAll(async () => {
  const upgraded = await running
  await upgraded?.namespace[Symbol.asyncDispose]()
  const names = kindNames.map((kind) => `crd/${pluralOf(kind)}.${GROUP}`)
  await upgraded?.cluster.kubectl(['delete', '--wait=false', ...names])
})

describe('the definitions of the next release', { timeout: 240_000 }, () => {
  test.for(all)('lose no field of $kind $name in either version', async (each, { upgraded }) => {
    const { objects, before } = upgraded
    for (const version of [VERSION, NEXT_VERSION]) {
      expect((await objects.read(each, version))['spec']).toEqual(before.get(each)?.['spec'])
    }
  })

  test.for(all)(
    'let $kind $name go on with its manifest, in either version',
    async (each, { upgraded }) => {
      const { objects, before } = upgraded
      for (const version of [VERSION, NEXT_VERSION]) {
        await objects.apply(textOf(each, version), ...sideOf(each))
        const { spec, metadata } = await objects.read(each)
        expect(spec).toEqual(before.get(each)?.['spec'])
        expect(metadata).toHaveProperty('generation', 1)
      }
    },
  )

  test.for(all.filter(({ name }) => name.endsWith('server')))(
    'let a second field manager apply the manifest of $kind $name',
    async (each, { upgraded }) => {
      const text = textOf({ ...each, name: `${each.name}-shared` })
      await upgraded.objects.apply(text, ...serverSide('one'))
      await upgraded.objects.apply(text, ...serverSide('other'))
    },
  )

  test.for(kindNames)(
    'keep what only the next release knows when this operator writes a %s',
    async (kind, { upgraded }) => {
      const { cluster, namespace, objects } = upgraded
      const each = { kind, name: 'newer', spec: { ...forms[kind]['small'], later: 'a' } }
      await objects.apply(textOf(each, NEXT_VERSION))
      await objects.patchNext(each, { status: { later: 'b' } }, '/status')
      const client = clientFor(cluster.kubeconfigPath)
      const type: ResourceType<KubeObject> = {
        group: GROUP,
        version: VERSION,
        plural: pluralOf(kind),
        kind: `Next${kind}`,
        namespaced: true,
      }
      const live = await client.get(type, { namespace: namespace.name, name: each.name })
      const finalizer = `${GROUP}/cleanup`
      await addFinalizer({ client, type, live, finalizer })
      const status = { observedGeneration: 1 }
      await createStatusWriter({ client }).write({ type, live, status })

      const after = await objects.read(each, NEXT_VERSION)
      expect(after['spec']).toHaveProperty('later', 'a')
      expect(after['status']).toEqual({ observedGeneration: 1, later: 'b' })
      expect(after['metadata']).toHaveProperty('finalizers', [finalizer])
      await objects.patchNext(each, { metadata: { finalizers: null } })
    },
  )
})
