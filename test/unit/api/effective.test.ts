import { describe, expect, test } from 'vitest'
import { channelPool } from '../../../src/api/channel-pool.ts'
import { effectiveChannelPool, effectiveFacilitator } from '../../../src/api/effective.ts'
import { facilitator } from '../../../src/api/facilitator.ts'
import { facilitatorManifest, type Json, poolManifest } from '../../support/api/manifests.ts'

const specOf = (spec: Json) =>
  effectiveFacilitator(facilitator.parse(facilitatorManifest(spec))).spec

const spread = (topologyKey: string, more: Json = {}) => ({
  topologyKey,
  maxSkew: 1,
  whenUnsatisfiable: 'ScheduleAnyway',
  ...more,
})
const zonesAndNodes = [spread('topology.kubernetes.io/zone'), spread('kubernetes.io/hostname')]
const inNamespaces = (team: string) => [{ namespaceSelector: { matchLabels: { team } } }]

/** What the definition of the earlier version filled into every stored object. */
const filledIn = {
  pods: {
    topologySpread: [
      { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 1 },
      { topologyKey: 'kubernetes.io/hostname', maxSkew: 1 },
    ],
  },
}

describe('a Facilitator in earlier names', () => {
  const earlier = specOf({
    database: undefined,
    databaseSecretRef: { name: 'db', key: 'dsn' },
    autoscale: { min: 3, max: 5 },
    networks: [
      { channelPool: 'testnet', requireApiKey: false },
      { channelPool: 'pubnet', requireApiKey: true },
    ],
    route: { host: 'pay.example', gatewayRef: { name: 'public', namespace: 'gateways' } },
    networkPolicy: { clientNamespaces: { team: 'a' }, monitoringNamespaces: { team: 'b' } },
    pods: {
      labels: { team: 'a' },
      annotations: { note: 'b' },
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'dedicated', value: 'x' }],
      topologySpread: [{ topologyKey: 'rack', maxSkew: 2 }],
    },
  })

  test('reads as one in present names', () => {
    const present = specOf({
      database: { secretRef: { name: 'db', key: 'dsn' } },
      autoscale: { minReplicas: 3, maxReplicas: 5 },
      networks: [
        { channelPool: 'testnet', access: 'Everyone' },
        { channelPool: 'pubnet', access: 'ApiKeys' },
      ],
      route: { hosts: ['pay.example'], parentRefs: [{ name: 'public', namespace: 'gateways' }] },
      networkPolicy: { clients: inNamespaces('a'), monitoring: inNamespaces('b') },
      podTemplate: {
        metadata: { labels: { team: 'a' }, annotations: { note: 'b' } },
        spec: {
          nodeSelector: { disk: 'fast' },
          tolerations: [{ key: 'dedicated', value: 'x' }],
          topologySpreadConstraints: [{ topologyKey: 'rack', maxSkew: 2 }],
        },
      },
    })

    expect(earlier).toEqual(present)
  })

  test('has no earlier name any more, at any depth', () => {
    const names = [
      ...['databaseSecretRef', 'pods', 'min', 'max', 'requireApiKey', 'host', 'gatewayRef'],
      ...['clientNamespaces', 'monitoringNamespaces', 'topologySpread'],
    ]
    const { timeouts: _timeouts, ...network } = Object(earlier.networks[0])
    const text = JSON.stringify({ ...earlier, networks: [network] })

    expect(names.filter((name) => text.includes(`"${name}":`))).toEqual([])
  })
})

describe('a present name', () => {
  test.each([
    {
      what: 'database',
      spec: { databaseSecretRef: { name: 'old' }, database: { secretRef: { name: 'new' } } },
      member: 'database',
      is: { secretRef: { name: 'new', key: 'url' } },
    },
    {
      what: 'maxReplicas over a min that was filled in',
      spec: { autoscale: { min: 2, maxReplicas: 1 } },
      member: 'autoscale',
      is: { minReplicas: 1, maxReplicas: 1, targetCpuPercent: 70 },
    },
    {
      what: 'podTemplate over a spread that was filled in',
      spec: {
        ...filledIn,
        podTemplate: { spec: { topologySpreadConstraints: [{ topologyKey: 'rack' }] } },
      },
      member: 'podTemplate',
      is: { metadata: {}, spec: { topologySpreadConstraints: [spread('rack')] } },
    },
    {
      what: 'an empty list of constraints',
      spec: { podTemplate: { spec: { topologySpreadConstraints: [] } } },
      member: 'podTemplate',
      is: { metadata: {}, spec: { topologySpreadConstraints: [] } },
    },
  ] as const)('wins: $what', ({ spec, member, is }) => {
    expect(specOf(spec)[member]).toEqual(is)
  })

  test('wins for access, hosts, Gateways and peers', () => {
    const { networks, route, networkPolicy } = specOf({
      networks: [{ channelPool: 'testnet', requireApiKey: true, access: 'Everyone' }],
      route: {
        host: 'old.example',
        hosts: ['new.example', 'newer.example'],
        gatewayRef: { name: 'old' },
        parentRefs: [{ name: 'new' }],
      },
      networkPolicy: { clientNamespaces: { team: 'old' }, clients: inNamespaces('new') },
    })

    expect(networks[0]?.access).toBe('Everyone')
    expect(route?.hosts).toEqual(['new.example', 'newer.example'])
    expect(route?.parentRefs).toEqual([{ name: 'new' }])
    expect(networkPolicy.clients).toEqual(inNamespaces('new'))
  })
})

describe('the defaults of present names', () => {
  test.each([
    { what: 'of a small Facilitator', spec: {} },
    { what: 'of one that an earlier version stored', spec: filledIn },
  ])('are filled in: $what', ({ spec }) => {
    expect(specOf(spec)).toMatchObject({
      database: { secretRef: { name: 'x402-database', key: 'url' } },
      podTemplate: { metadata: {}, spec: { topologySpreadConstraints: zonesAndNodes } },
      service: { type: 'ClusterIP' },
      podDisruptionBudget: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    })
  })

  test('are those of each key', () => {
    const { database, explorer } = specOf({
      database: {
        secretRef: { name: 'db' },
        caSecretRef: { name: 'ca' },
        directSecretRef: { name: 'direct' },
        poolSize: 3,
      },
      explorer: { databaseReplicaSecretRef: { name: 'replica' } },
    })

    expect(database).toEqual({
      secretRef: { name: 'db', key: 'url' },
      caSecretRef: { name: 'ca', key: 'ca.crt' },
      directSecretRef: { name: 'direct', key: 'url' },
      poolSize: 3,
    })
    expect(explorer.databaseReplicaSecretRef).toEqual({ name: 'replica', key: 'url' })
  })

  test('leave a budget alone that says how many pods must stay', () => {
    expect(specOf({ podDisruptionBudget: { minAvailable: '50%' } }).podDisruptionBudget).toEqual({
      minAvailable: '50%',
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    })
  })

  test('leave what is complete as it is', () => {
    const once = effectiveFacilitator(
      facilitator.parse(facilitatorManifest({ ...filledIn, autoscale: { max: 4 } })),
    )

    expect(effectiveFacilitator(once)).toEqual(once)
  })
})

describe('a ChannelPool', () => {
  const poolSpecOf = (spec: Json) =>
    effectiveChannelPool(channelPool.parse(poolManifest(spec))).spec

  test('has its database in present names', () => {
    const earlier = { database: undefined, databaseSecretRef: { name: 'db', key: 'dsn' } }

    expect(poolSpecOf(earlier).database).toEqual({ secretRef: { name: 'db', key: 'dsn' } })
    expect(poolSpecOf(earlier)).not.toHaveProperty('databaseSecretRef')
    expect(
      poolSpecOf({
        database: { secretRef: { name: 'db' }, caSecretRef: { name: 'ca' }, poolSize: 2 },
      }).database,
    ).toEqual({
      secretRef: { name: 'db', key: 'url' },
      caSecretRef: { name: 'ca', key: 'ca.crt' },
      poolSize: 2,
    })
  })
})
