import { describe, expect } from 'vitest'
import { channelPool } from '../../../../src/kubernetes/crd/channel-pool.ts'
import { customResourceDefinition } from '../../../../src/kubernetes/crd/definitions/crd.ts'
import { facilitator } from '../../../../src/kubernetes/crd/facilitator.ts'
import {
  API_VERSION,
  GROUP,
  type KindName,
  kinds,
} from '../../../../src/kubernetes/crd/names/group.ts'
import { facilitatorManifest, type Json, poolManifest } from '../../../support/api/manifests.ts'
import { facilitatorStatus, poolStatus } from '../../../support/api/statuses.ts'
import type { Cluster } from '../../support/cluster.ts'
import { test as clusterTest } from '../../support/cluster-test.ts'
import type { Answer } from '../../support/kube-request.ts'
import { installDefinitions, objectsIn, wordsOf } from './objects.ts'

let installed: Promise<void> | undefined

/** With both definitions in the cluster. */
const test = clusterTest.extend<{ ready: Cluster }>({
  ready: async ({ cluster }, use) => {
    installed ??= installDefinitions(cluster)
    await installed
    await use(cluster)
  },
})

const kindNames = Object.keys(kinds) as KindName[]
const least = { Facilitator: facilitatorManifest(), ChannelPool: poolManifest() }
const schemas = { Facilitator: facilitator, ChannelPool: channelPool }
const full = {
  Facilitator: facilitatorManifest({}, { status: facilitatorStatus }),
  ChannelPool: poolManifest({}, { status: poolStatus }),
}

/** Output of kubectl, by column. */
function columns(printed: string): Record<string, string> {
  const [head = '', row = ''] = printed.trimEnd().split('\n')
  const starts = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ 0: name, index }) => ({ name, index }))
  return Object.fromEntries(
    starts.map(({ name, index }, at) => [name, row.slice(index, starts[at + 1]?.index).trim()]),
  )
}

const namesOf = ({ body }: Answer): readonly string[] =>
  Object(body['spec']).networks.map(({ channelPool }: { channelPool: string }) => channelPool)

describe('the definitions', () => {
  test.for(kindNames)(
    'of %s are accepted in strict validation without a warning',
    async (kind, { ready }) => {
      const answer = await ready.request(
        'PATCH',
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${kinds[kind].plural}.${GROUP}?fieldManager=test&force=true&dryRun=All&fieldValidation=Strict`,
        {
          body: { ...customResourceDefinition(kind) },
          contentType: 'application/apply-patch+yaml',
        },
      )

      expect(answer.status, answer.text).toBe(200)
      expect(answer.headers['warning']).toBeUndefined()
      const { conditions } = Object(answer.body['status'])
      expect(conditions).not.toContainEqual(
        expect.objectContaining({ type: 'NonStructuralSchema' }),
      )
    },
  )

  test.for(kindNames)(
    'fill in every default of the minimal %s, and nothing else',
    async (kind, { ready }) => {
      await using namespace = await ready.namespace('defaults')
      const { status, body, text } = await objectsIn(ready, namespace.name).tryCreate(least[kind])

      expect(status, text).toBe(201)
      expect(body['spec']).toEqual(schemas[kind].parse(least[kind]).spec)
    },
  )

  test.for(kindNames)(
    'let the operator write every field of the status of %s',
    async (kind, { ready }) => {
      await using namespace = await ready.namespace('status')
      const objects = objectsIn(ready, namespace.name)
      const { metadata, status } = await objects.create(full[kind])

      expect(status).toEqual(full[kind].status)
      expect(metadata).toHaveProperty('generation', 1)
      const unchanged = await objects.patch(full[kind], { status: { observedGeneration: 9 } })
      expect(unchanged.body['status'], 'only through the subresource').toEqual(full[kind].status)
    },
  )

  test('bound the samples in a status', async ({ ready }) => {
    await using namespace = await ready.namespace('samples')
    const objects = objectsIn(ready, namespace.name)
    await objects.create(least.Facilitator)
    const pods = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        name: `pod-${at}`,
        reason: 'Error',
        message: '',
      }))

    const most = await objects.patchStatus(least.Facilitator, { failingPods: pods(20) })
    const more = await objects.patchStatus(least.Facilitator, { failingPods: pods(21) })

    expect([most.status, more.status]).toEqual([200, 422])
  })

  test('keep fields that are passed to pods unchecked', async ({ ready }) => {
    await using namespace = await ready.namespace('affinity')
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
    }
    const object = facilitatorManifest({ podTemplate: { spec: { affinity } } })
    const { body } = await objectsIn(ready, namespace.name).tryCreate(object)

    expect(Object(body['spec']).podTemplate.spec.affinity).toEqual(affinity)
  })

  test('keep null in a pod template, which removes a member of the operator', async ({ ready }) => {
    await using namespace = await ready.namespace('nulls')
    const container = { name: 'svc', ports: null, securityContext: null }
    const securityContext = { runAsUser: null, runAsNonRoot: null, fsGroup: null }
    const object = facilitatorManifest({
      podTemplate: { spec: { securityContext, containers: [container] } },
    })
    const { body, text } = await objectsIn(ready, namespace.name).tryCreate(object)

    const { spec } = Object(Object(body['spec']).podTemplate)
    expect(spec?.securityContext, text).toEqual(securityContext)
    expect(spec.containers).toEqual([container])
  })
})

describe('kubectl', () => {
  test('shows pools by their columns, and more with -o wide', async ({ ready }) => {
    await using namespace = await ready.namespace('columns')
    await objectsIn(ready, namespace.name).create(full.ChannelPool)
    const get = (...more: string[]) => ready.kubectl(['get', '-n', namespace.name, 'chp', ...more])

    const always = {
      NAME: 'testnet',
      NETWORK: 'stellar:testnet',
      CHANNELS: '7/8',
      'IN USE': '3',
      SPENDABLE: '1184.5',
      READY: 'True',
      PAUSED: '',
      AGE: expect.stringMatching(/^\d+s$/),
    }
    expect(columns(await get())).toEqual(always)
    expect(columns(await get('-o', 'wide'))).toEqual({
      ...always,
      BALANCE: '1234.5',
      RUNWAY: '72',
      ADDRESS: poolStatus.sponsor.address,
      ROTATION: '',
      REASON: 'ChannelsReady',
    })
  })

  test('shows facilitators by their columns', async ({ ready }) => {
    await using namespace = await ready.namespace('columns')
    await objectsIn(ready, namespace.name).create(full.Facilitator)

    expect(columns(await ready.kubectl(['get', '-n', namespace.name, 'fac']))).toEqual({
      NAME: 'payments',
      READY: 'True',
      REPLICAS: '2/2',
      NETWORKS: 'stellar:testnet',
      URL: 'https://pay.example',
      REASON: 'Serving',
      ROLLOUT: '',
      PAUSED: '',
      AGE: expect.stringMatching(/^\d+s$/),
    })
  })

  test('shows a paused object as paused, without -o wide', async ({ ready }) => {
    await using namespace = await ready.namespace('paused')
    await objectsIn(ready, namespace.name).create(least.Facilitator)
    await objectsIn(ready, namespace.name).create(least.ChannelPool)
    const inIt = ['-n', namespace.name]
    await ready.kubectl(['annotate', ...inIt, 'x402', '--all', 'x402.svc.dev/paused=true'])

    for (const kind of ['fac', 'chp']) {
      expect(columns(await ready.kubectl(['get', ...inIt, kind]))).toMatchObject({ PAUSED: 'true' })
    }
  })

  test('lists both kinds by category, and pools by network', async ({ ready }) => {
    await using namespace = await ready.namespace('lists')
    const objects = objectsIn(ready, namespace.name)
    await objects.create(least.Facilitator)
    await objects.create(least.ChannelPool)
    await objects.create(poolManifest({ network: 'stellar:pubnet' }, { name: 'pubnet' }))
    const names = (...what: string[]) =>
      ready.kubectl(['get', '-n', namespace.name, ...what, '-o', 'name'])

    expect((await names('x402')).trim().split('\n').sort()).toEqual([
      'channelpool.x402.svc.dev/pubnet',
      'channelpool.x402.svc.dev/testnet',
      'facilitator.x402.svc.dev/payments',
    ])
    const ofPubnet = await names('chp', '--field-selector', 'spec.network=stellar:pubnet')
    expect(ofPubnet.trim()).toBe('channelpool.x402.svc.dev/pubnet')
  })

  test('scales both kinds, and autoscalers find the pods', async ({ ready }) => {
    await using namespace = await ready.namespace('scale')
    const objects = objectsIn(ready, namespace.name)
    await objects.create(full.Facilitator)
    await objects.create(full.ChannelPool)
    const scale = (what: string, to: number) =>
      ready.kubectl(['scale', '-n', namespace.name, what, `--replicas=${to}`])

    await scale('fac/payments', 5)
    await scale('chp/testnet', 24)

    const [fac, pool] = [await objects.get(full.Facilitator), await objects.get(full.ChannelPool)]
    expect(Object(fac.body['spec']).replicas).toBe(5)
    expect(Object(pool.body['spec']).channels).toBe(24)
    await expect(scale('chp/testnet', 1001)).rejects.toThrow('less than or equal to 1000')
    const path = `/apis/${API_VERSION}/namespaces/${namespace.name}/facilitators/payments/scale`
    const { body } = await ready.request('GET', path)
    expect(body['status']).toEqual({ replicas: 2, selector: facilitatorStatus.selector })
  })

  test('explains fields', async ({ ready }) => {
    const words = await ready.kubectl(['explain', 'channelpool.spec.deletionPolicy'])

    expect(words.replaceAll(/\s+/g, ' ')).toContain('Retain leaves them on the ledger')
  })
})

describe('two writers', () => {
  test('own one entry each of the networks, and conflict over the same entry', async ({
    ready,
  }) => {
    await using namespace = await ready.namespace('writers')
    const { apiVersion, kind, metadata } = least.Facilitator
    const path = `/apis/${apiVersion}/namespaces/${namespace.name}/facilitators/${metadata.name}`
    const apply = (who: string, spec: Json) =>
      ready.request('PATCH', `${path}?fieldManager=${who}&fieldValidation=Strict`, {
        body: { apiVersion, kind, metadata, spec },
        contentType: 'application/apply-patch+yaml',
      })
    const network = (channelPool: string, more: Json = {}) => [{ channelPool, ...more }]

    await apply('one', {
      database: { secretRef: { name: 'x402-database' } },
      networks: network('testnet', { access: 'Everyone' }),
    })
    const second = await apply('other', { networks: network('pubnet', { access: 'Everyone' }) })
    const third = await apply('other', {
      networks: [...network('pubnet'), ...network('testnet', { expirationMarginLedgers: 9 })],
    })
    const fourth = await apply('third', { networks: network('testnet', { access: 'ApiKeys' }) })

    expect(second.status, second.text).toBe(200)
    expect(namesOf(second)).toEqual(['testnet', 'pubnet'])
    expect(third.status, third.text).toBe(200)
    expect(fourth.status).toBe(409)
    expect(wordsOf(fourth)).toContain('conflict with "one"')
  })
})
