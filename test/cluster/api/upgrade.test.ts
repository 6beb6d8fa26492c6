import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { afterAll, describe, expect } from 'vitest'
import type { StoredChannelPool } from '../../../src/api/channel-pool.ts'
import { customResourceDefinition } from '../../../src/api/crd.ts'
import { effectiveChannelPool, effectiveFacilitator } from '../../../src/api/effective.ts'
import type { StoredFacilitator } from '../../../src/api/facilitator.ts'
import { type KindName, kinds } from '../../../src/api/group.ts'
import { toYaml } from '../../../src/api/yaml.ts'
import type { Json } from '../../support/api/manifests.ts'
import type { Cluster } from '../support/cluster.ts'
import { test as clusterTest } from '../support/cluster-test.ts'
import { earlierForms, presentForms } from './upgrade-forms.ts'

/* The definitions of the version before v1beta1, and after them the present ones, under a group of their own. */

const GROUP = 'upgraded.x402.svc.dev'
const kindNames = Object.keys(kinds) as KindName[]

/** As the version before v1beta1 had it, without descriptions. */
const earlierDefinition = (kind: KindName): Json =>
  load(
    readFileSync(
      new URL(`../../fixtures/api/earlier/${kinds[kind].plural}.yaml`, import.meta.url),
      'utf8',
    ),
  ) as Json

/** Under other names, without short ones: `kubectl get fac` of other tests must not find these. */
const pluralOf = (kind: KindName): string => `upgraded${kinds[kind].plural}`
const moved = (kind: KindName, definition: Json): Json => ({
  ...definition,
  metadata: { name: `${pluralOf(kind)}.${GROUP}` },
  spec: {
    ...Object(definition['spec']),
    group: GROUP,
    names: { kind: `Upgraded${kind}`, plural: pluralOf(kind) },
  },
})

interface Applied {
  readonly kind: KindName
  readonly name: string
  readonly spec: Json
}

/** An object of the group, as text for kubectl. */
const textOf = ({ kind, name, spec }: Applied, version = 'v1alpha1'): string =>
  toYaml({ apiVersion: `${GROUP}/${version}`, kind: `Upgraded${kind}`, metadata: { name }, spec })

const serverSide = (manager: string) => ['--server-side', `--field-manager=${manager}`]

function objectsOf(cluster: Cluster, namespace: string) {
  const apply = (text: string, ...more: readonly string[]) =>
    cluster.kubectl(['apply', '-n', namespace, ...more, '-f', '-'], { input: text })
  const read = async ({ kind, name }: Omit<Applied, 'spec'>, version = 'v1alpha1') => {
    const path = `/apis/${GROUP}/${version}/namespaces/${namespace}/${pluralOf(kind)}/${name}`
    const { status, body, text } = await cluster.request('GET', path)
    if (status !== 200) throw new Error(`it cannot be read: ${text}`)
    return body
  }
  return { apply, read }
}

/** The API server has validated the spec against the schema of its kind. */
const effectiveSpecOf = (kind: KindName, { spec }: Json): Json =>
  kind === 'Facilitator'
    ? { ...effectiveFacilitator({ spec: spec as StoredFacilitator['spec'] }).spec }
    : { ...effectiveChannelPool({ spec: spec as StoredChannelPool['spec'] }).spec }

const all: readonly Applied[] = kindNames.flatMap((kind) =>
  Object.entries(earlierForms[kind]).flatMap(([form, spec]) =>
    ['client', 'server'].map((side) => ({ kind, name: `${form}-${side}`, spec })),
  ),
)
const sideOf = ({ name }: Applied): readonly string[] =>
  name.endsWith('server') ? serverSide('gitops') : []
/** The same object in present names. */
const inPresentNames = (each: Applied): Applied => ({
  ...each,
  spec: presentForms[each.kind][each.name.replace(/-\w+$/, '')] ?? {},
})

async function define(cluster: Cluster, definitions: readonly Json[]): Promise<void> {
  const input = definitions.map((each) => toYaml(each)).join('---\n')
  await cluster.kubectl(['apply', '--server-side', '-f', '-'], { input })
  const names = kindNames.map((kind) => `crd/${pluralOf(kind)}.${GROUP}`)
  await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...names])
}

/** Stores objects under the earlier definitions, then applies the present ones. */
async function upgrade(cluster: Cluster) {
  const namespace = await cluster.namespace('upgrade')
  const objects = objectsOf(cluster, namespace.name)
  await define(
    cluster,
    kindNames.map((kind) => moved(kind, earlierDefinition(kind))),
  )
  for (const each of all) await objects.apply(textOf(each), ...sideOf(each))
  const before = new Map(
    await Promise.all(all.map(async (each) => [each, await objects.read(each)] as const)),
  )
  await define(
    cluster,
    kindNames.map((kind) => moved(kind, { ...customResourceDefinition(kind) })),
  )
  // The API server serves a new version a moment after it has accepted the definition.
  for (const kind of kindNames) {
    const path = `/apis/${GROUP}/v1beta1/namespaces/${namespace.name}/${pluralOf(kind)}`
    const statusOf = async () => (await cluster.request('GET', path)).status
    await expect.poll(statusOf, { timeout: 30_000, interval: 50 }).toBe(200)
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

describe('an upgrade of the definitions', { timeout: 60_000 }, () => {
  test.for(all)('loses no field of $kind $name in either version', async (each, { upgraded }) => {
    const { objects, before } = upgraded
    for (const version of ['v1alpha1', 'v1beta1']) {
      const { spec } = await objects.read(each, version)
      expect(spec).toEqual(before.get(each)?.['spec'])
    }
  })

  test.for(all)(
    'lets $kind $name go on with its manifest, and with one in present names',
    async (each, { upgraded }) => {
      const { objects } = upgraded
      const side = sideOf(each)
      await objects.apply(textOf(each), ...side)
      const earlier = effectiveSpecOf(each.kind, await objects.read(each))
      await objects.apply(textOf(inPresentNames(each), 'v1beta1'), ...side)
      const present = await objects.read(each)

      expect(effectiveSpecOf(each.kind, present)).toEqual(earlier)
      expect(present['spec']).toMatchObject(inPresentNames(each).spec)
      expect(present['spec']).not.toHaveProperty('databaseSecretRef')
    },
  )

  test.for(all.filter(({ name }) => name.endsWith('server')))(
    'lets a second field manager apply the manifest of $kind $name',
    async (each, { upgraded }) => {
      const text = textOf({ ...inPresentNames(each), name: `${each.name}-shared` })
      await upgraded.objects.apply(text, ...serverSide('one'))
      await upgraded.objects.apply(text, ...serverSide('other'))
    },
  )
})
