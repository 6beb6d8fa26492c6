import { describe, expect, test } from 'vitest'
import { toYaml } from '../../../../../../src/kubernetes/crd/definitions/yaml.ts'
import type { DesiredFacilitator } from '../../../../../../src/kubernetes/operator/facilitator/desired/desired.ts'
import {
  type Rendered,
  render,
} from '../../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import type { DesiredObject } from '../../../../../../src/kubernetes/runtime/objects/resource.ts'
import { publicPaths } from '../../../../../../src/platform/core/http-paths.ts'
import { openApiDocument } from '../../../../../../src/service/openapi/document.ts'
import type { Json } from '../../../../../support/api/manifests.ts'
import {
  desiredEverything,
  desiredWith,
  everything,
  privateRpc,
  pubnet,
  testnet,
} from '../builders.ts'

const allOf = ({
  independent,
  migration,
  preflight,
  whilePreflight,
  rollouts,
}: Rendered): readonly DesiredObject[] => [
  ...independent,
  migration,
  ...whilePreflight,
  preflight,
  ...rollouts.flatMap(({ configMap, deployment }) => [configMap, deployment]),
]

const templatesOf = (desired: DesiredFacilitator) =>
  Object.fromEntries(
    render(desired).rollouts.map(({ part, deployment }) => [
      part.name,
      Object(deployment['spec']).template,
    ]),
  )

const open: Json = { route: { hosts: ['pay.example.com'], parentRefs: [{ name: 'public' }] } }
const withKeys: Json = { apiKeys: { digestsSecretRef: { name: 'keys' } } }

describe('the children of a Facilitator', () => {
  test.each([
    { name: 'least', desired: desiredWith() },
    { name: 'everything', desired: desiredEverything() },
    {
      name: 'gateway',
      desired: desiredWith({ ...open, replicas: 1, networkPolicy: { mode: 'Never' } }),
    },
    { name: 'private-rpc', desired: desiredWith({}, { pools: [privateRpc()] }) },
  ])('are those of the page: $name', async ({ name, desired }) => {
    const text = allOf(render(desired))
      .map((object) => toYaml(object))
      .join('---\n')
    await expect(text).toMatchFileSnapshot(`__golden__/${name}.yaml`)
  })

  test('leave a field to the default of the pods that the definitions in the cluster do not have yet', () => {
    const desired = desiredWith()
    const { rateLimitPerKeyPerMinute: _, ...spec } = desired.facilitator.spec
    // As the API server of a cluster with earlier definitions returns it.
    const earlier = { ...desired.facilitator, spec: spec as typeof desired.facilitator.spec }
    const text = allOf(render({ ...desired, facilitator: earlier }))
      .map((object) => toYaml(object))
      .join('---\n')
    expect(text).not.toContain('undefined')
    expect(text).not.toContain('RATE_LIMIT_PER_KEY_PER_MINUTE')
  })

  test('have unique names', () => {
    const named = allOf(render(desiredEverything())).map(
      ({ kind, metadata }) => `${kind} ${metadata.name}`,
    )
    expect(new Set(named).size).toBe(named.length)
  })

  test('have short names and valid labels however long the name of the Facilitator is', () => {
    const desired = desiredWith(everything, {
      pools: [testnet(), pubnet()],
      meta: { name: 'a'.repeat(63) },
    })
    for (const { metadata } of allOf(render(desired))) {
      expect(metadata.name.length).toBeLessThanOrEqual(63)
      for (const value of Object.values(metadata.labels ?? {})) {
        expect(value.length).toBeLessThanOrEqual(63)
      }
    }
  })

  test('expose every path of the API except the metrics', () => {
    const { paths } = openApiDocument('dev') as { paths: Json }
    // Catalog pods get everything below /discovery.
    const offered = Object.keys(paths).filter((path) => !/^\/(metrics$|discovery\/)/.test(path))
    expect(Object.values(publicPaths).sort()).toEqual(offered.sort())
  })
})

describe('pods', () => {
  const before = templatesOf(desiredEverything())
  const networks = everything['networks'] as readonly Json[]
  test.each<{ what: string; spec?: Json; secrets?: Record<string, string>; rolls: string[] }>([
    { what: 'nothing changes', rolls: [] },
    { what: 'replicas change', spec: { replicas: 9 }, rolls: [] },
    { what: 'a digest of an API key comes', secrets: { 'keys/sha256': 'b'.repeat(64) }, rolls: [] },
    {
      what: 'the route gets another host',
      spec: { route: { ...Object(everything['route']), hosts: ['other.example.com'] } },
      // The proofs of its signers name the host, and so do the pages of the explorer, for those who want to pay.
      rolls: ['Explorer', 'Facilitator'],
    },
    {
      what: 'the namespaces of clients change',
      spec: { networkPolicy: { mode: 'Never' } },
      rolls: [],
    },
    {
      what: 'the seed of a sponsor changes',
      secrets: { 'pubnet-sponsor/seed': 'S' },
      rolls: ['Facilitator'],
    },
    {
      what: 'the key for embeddings changes',
      secrets: { 'embeddings/apiKey': 'other' },
      rolls: ['Catalog'],
    },
    {
      what: 'the address of the database changes',
      secrets: { 'x402-database/url': 'postgres://b:5433/x' },
      rolls: ['Catalog', 'Explorer', 'Facilitator'],
    },
    {
      what: 'the fee of a settlement changes',
      spec: { serviceFeePerSettlementUsd: '0.002' },
      rolls: ['Facilitator'],
    },
    {
      what: 'a network gets a settlement contract',
      spec: {
        networks: [
          ...networks.slice(0, 1),
          { ...Object(networks[1]), upto: { contract: `C${'G'.repeat(55)}` } },
        ],
      },
      rolls: ['Explorer', 'Facilitator'],
    },
    {
      what: 'the keeper of a settlement contract is switched off',
      spec: {
        networks: [
          {
            ...Object(networks[0]),
            upto: { ...Object(networks[0])['upto'], keeper: { enabled: false } },
          },
          ...networks.slice(1),
        ],
      },
      rolls: ['Facilitator'],
    },
    {
      what: 'old settlements are deleted',
      spec: { settlementRetentionDays: 90 },
      rolls: ['Facilitator'],
    },
    {
      what: 'the image changes',
      spec: { image: { repository: 'registry.example/x402', tag: '2.2.0' } },
      rolls: ['Catalog', 'Explorer', 'Facilitator'],
    },
  ])('are replaced only where it matters when $what', ({ spec = {}, secrets = {}, rolls }) => {
    const desired = desiredWith(
      { ...everything, ...spec },
      { pools: [testnet(), pubnet()], secrets },
    )
    const after = templatesOf(desired)
    const changed = Object.keys(before).filter(
      (part) => JSON.stringify(before[part]) !== JSON.stringify(after[part]),
    )
    expect(changed.sort()).toEqual(rolls)
  })

  test('are replaced once for a new restartedAt', () => {
    const at = (time: string) =>
      templatesOf(desiredWith({}, { meta: { annotations: { 'x402.svc.dev/restartedAt': time } } }))
    expect(at('one')).toEqual(at('one'))
    expect(at('one')).not.toEqual(at('two'))
  })

  test('are not replaced when the pool grows', () => {
    const grown = { ...testnet(), spec: { ...testnet().spec, channels: 100 } }
    expect(templatesOf(desiredWith({}, { pools: [grown] }))).toEqual(templatesOf(desiredWith()))
  })

  test('have no secret in their environment', () => {
    const { secrets } = desiredEverything()
    const text = JSON.stringify(allOf(render(desiredEverything())))
    for (const value of secrets.values()) expect(text).not.toContain(value)
  })
})

describe('the migration', () => {
  const nameOf = (desired: DesiredFacilitator) => render(desired).migration.metadata.name

  test('runs once for an image and a database', () => {
    expect(nameOf(desiredWith({ ...withKeys, replicas: 5 }))).toBe(nameOf(desiredWith()))
    expect(nameOf(desiredWith({ image: { repository: 'other', tag: '1' } }))).not.toBe(
      nameOf(desiredWith()),
    )
    const elsewhere = { secrets: { 'x402-database/url': 'postgres://other/x402' } }
    expect(nameOf(desiredWith({}, elsewhere))).not.toBe(nameOf(desiredWith()))
  })
})
