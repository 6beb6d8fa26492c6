import { describe, expect, test } from 'vitest'
import {
  type Rendered,
  render,
} from '../../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import { secretDigest } from '../../../../../../src/kubernetes/operator/secret-digest.ts'
import { canonicalHash } from '../../../../../../src/platform/core/text/canonical-json.ts'
import type { Json } from '../../../../../support/api/manifests.ts'
import { leaksIn } from '../../../../../support/secret-forms.ts'
import { desiredWith, everything, existingSecrets, privateRpc, pubnet } from '../builders.ts'

describe('N3: what everybody may read', () => {
  const secrets: Readonly<Record<string, string>> = {
    ...existingSecrets,
    'explorer-replica/url': 'postgres://reader:replica@db:5433/x402',
    'x402-database/ca.crt': '-----BEGIN CERTIFICATE-----',
  }
  const spec: Json = {
    ...everything,
    database: { secretRef: { name: 'x402-database' }, caSecretRef: { name: 'x402-database' } },
    explorer: { enabled: true, databaseReplicaSecretRef: { name: 'explorer-replica' } },
    catalog: {
      enabled: true,
      embeddings: {
        url: 'https://embeddings.example',
        model: 'small',
        secretRef: { name: 'embeddings' },
      },
    },
  }
  const world = { pools: [privateRpc(), pubnet()], secrets }
  const files = [
    'database-url',
    'database-ca.crt',
    'explorer-database-url',
    'testnet-sponsor-secret',
    'pubnet-sponsor-secret',
    'embeddings-api-key',
    'api-key-sha256',
    'testnet-rpc-url',
    'testnet-rpc-headers',
  ]

  test('has no secret, no digest of one, and no name made from one', () => {
    const text = JSON.stringify(render(desiredWith(spec, world)))
    expect(text).toContain('rpc-provider')
    expect(leaksIn(text, secrets, files)).toEqual([])
    // The search finds what pods had before, and what names of Jobs had.
    const url = String(secrets['x402-database/url'])
    const former = canonicalHash({ 'database-url': canonicalHash(url) })
    expect(leaksIn(former, secrets, files)).not.toEqual([])
    const job = `payments-migrate-${canonicalHash([url]).slice(0, 8)}`
    expect(leaksIn(job, secrets, files)).not.toEqual([])
  })

  test('is the same after a restart of the operator, and differs everywhere with another key', () => {
    const digestsWith = (key: number) => {
      const digest = secretDigest(Buffer.alloc(32, key))
      const { rollouts, migration, preflight } = render({ ...desiredWith(spec, world), digest })
      return {
        ...Object.fromEntries(
          rollouts.map(({ part, deployment }) => [
            part.name,
            Object(deployment['spec']).template.metadata.annotations['x402.svc.dev/secret-hash'],
          ]),
        ),
        migration: migration.metadata.name,
        preflight: preflight.metadata.name,
      }
    }
    const [first, other] = [digestsWith(7), digestsWith(8)]
    expect(Object.keys(first).length).toBe(5)
    expect(digestsWith(7)).toEqual(first)
    for (const [what, digest] of Object.entries(first)) {
      expect(Object(other)[what], what).not.toBe(digest)
    }
  })

  test('does not say that a Facilitator of somebody else has the same secrets', () => {
    const hashes = (uid: string) => {
      const { rollouts, migration } = render(desiredWith({}, { meta: { uid } }))
      const [rollout] = rollouts
      const { annotations } = Object(rollout?.deployment['spec']).template.metadata
      return [annotations['x402.svc.dev/secret-hash'], migration.metadata.name]
    }
    const [one, other] = [hashes('one'), hashes('other')]
    expect(one[0]).not.toBe(other[0])
    expect(one[1]).not.toBe(other[1])
  })
})

describe('N4: RPC endpoints from a Secret', () => {
  const urls = (text: string) => ({
    pools: [privateRpc()],
    secrets: { 'rpc-provider/urls': text, 'rpc-provider/headers': `${text} X-Api-Key: key` },
  })

  test('reach every pod as a file, and no ConfigMap', () => {
    const { rollouts } = render(desiredWith(everything, { pools: [privateRpc(), pubnet()] }))
    for (const { configMap, deployment } of rollouts) {
      const data = Object(configMap['data'])
      expect(data).toMatchObject({
        TESTNET_RPC_URL_FILE: '/etc/x402/secrets/testnet-rpc-url',
        TESTNET_RPC_HEADERS_FILE: '/etc/x402/secrets/testnet-rpc-headers',
      })
      expect(data).not.toHaveProperty('TESTNET_RPC_URL')
      const { volumes } = Object(deployment['spec']).template.spec
      const { sources } = volumes.find(({ name }: Json) => name === 'secrets').projected
      expect(JSON.stringify(sources)).toContain('testnet-rpc-headers')
    }
  })

  test('open the ports of the URLs in it', () => {
    const portsFor = (text: string) => {
      const { independent } = render(desiredWith({}, urls(text)))
      const policy = independent.find(
        ({ kind, metadata }) =>
          kind === 'NetworkPolicy' && metadata.name === 'payments-facilitator',
      )
      const { egress } = Object(policy?.['spec'])
      // The first two rules are DNS and the pods of the cluster.
      return egress.slice(2).map(({ ports }: Json) => (ports as Json[]).map(({ port }) => port))
    }
    expect(portsFor('https://rpc.example:9443')).toEqual([[5433], [9443]])
    // A rule without ports would let every port through.
    expect(portsFor('nothing')).toEqual([[5433]])
  })

  test('replace the pods, after a preflight, when the Secret changes', () => {
    const [one, other] = ['https://one.example', 'https://two.example'].map((text) =>
      render(desiredWith({}, urls(text))),
    )
    expect(one?.preflight.metadata.name).not.toBe(other?.preflight.metadata.name)
    const template = (rendered: Rendered | undefined) =>
      JSON.stringify(Object(rendered?.rollouts[0].deployment['spec']).template)
    expect(template(one)).not.toBe(template(other))
    expect(template(one)).toBe(template(render(desiredWith({}, urls('https://one.example')))))
  })
})
