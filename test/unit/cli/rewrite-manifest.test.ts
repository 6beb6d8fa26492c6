import { describe, expect, test } from 'vitest'
import { rewriteManifests } from '../../../src/cli/rewrite/rewrite-manifest.ts'

const facilitator = (...spec: readonly string[]) =>
  [
    'apiVersion: x402.svc.dev/v1alpha1',
    'kind: Facilitator # ours',
    'metadata: { name: a }',
    'spec:',
    ...spec.map((line) => (line === '' ? '' : `  ${line}`)),
    '',
  ].join('\n')

const rewritten = (...spec: readonly string[]) =>
  facilitator(...spec).replace('v1alpha1', 'v1beta1')

const database = 'database: { secretRef: { name: db } }'
const networks = 'networks: [{ channelPool: testnet }]'

describe('a manifest in earlier names', () => {
  test('keeps its comments and its layout in blocks', () => {
    const before = facilitator(
      '# the database',
      'databaseSecretRef: # here',
      '  # its name',
      '  name: db # n',
      'networks:',
      '  - channelPool: testnet',
      '    requireApiKey: false # open',
      'pods:',
      '  nodeSelector: # where',
      '    disk: fast',
      '  # note',
      '  annotations:',
      '    text: |',
      '      one',
      '',
      '      two',
      '  topologySpread:',
      '    - { topologyKey: rack }',
      'route:',
      '  host: pay.example # h',
      '  gatewayRef:',
      '    name: public # g',
      '    namespace: gateways',
      'networkPolicy:',
      '  clientNamespaces:',
      '    team: a # t',
      '# end',
    )

    expect(rewriteManifests(before)).toBe(
      rewritten(
        '# the database',
        'database: # here',
        '  secretRef:',
        '    # its name',
        '    name: db # n',
        'networks:',
        '  - channelPool: testnet',
        '    access: Everyone # open',
        'podTemplate:',
        '  metadata:',
        '    # note',
        '    annotations:',
        '      text: |',
        '        one',
        '',
        '        two',
        '  spec:',
        '    nodeSelector: # where',
        '      disk: fast',
        '    topologySpreadConstraints:',
        '      - { topologyKey: rack }',
        'route:',
        '  hosts: [pay.example] # h',
        '  parentRefs:',
        '    - name: public # g',
        '      namespace: gateways',
        'networkPolicy:',
        '  clients:',
        '    - namespaceSelector:',
        '        matchLabels:',
        '          team: a # t',
        '# end',
      ),
    )
  })

  test('is rewritten in braces', () => {
    const before = facilitator(
      'databaseSecretRef: { name: db }',
      'autoscale: { min: 3, max: 5 }',
      'networks: [{ channelPool: a, requireApiKey: true }]',
      'apiKeys: { digestsSecretRef: { name: keys } }',
      'pods: { labels: { team: a }, tolerations: [{ key: k, value: v }], annotations: {} }',
    )

    expect(rewriteManifests(before)).toBe(
      rewritten(
        database,
        'autoscale: { minReplicas: 3, maxReplicas: 5 }',
        'networks: [{ channelPool: a, access: ApiKeys }]',
        'apiKeys: { digestsSecretRef: { name: keys } }',
        'podTemplate: { metadata: { labels: { team: a }, annotations: {} }, spec: { tolerations: [{ key: k, value: v }] } }',
      ),
    )
  })

  test('stays JSON where it was JSON, also in a List', () => {
    const pool = {
      apiVersion: 'x402.svc.dev/v1alpha1',
      kind: 'ChannelPool',
      metadata: { name: 'p' },
      spec: {
        network: 'stellar:testnet',
        rpc: { urls: ['https://a.example'] },
        sponsorSecretRef: { name: 's' },
        databaseSecretRef: { name: 'db' },
      },
    }
    const { databaseSecretRef: secretRef, ...spec } = pool.spec
    const list = JSON.stringify({ kind: 'List', items: [pool] })

    expect(JSON.parse(rewriteManifests(list))).toEqual({
      kind: 'List',
      items: [
        {
          ...pool,
          apiVersion: 'x402.svc.dev/v1beta1',
          spec: { ...spec, database: { secretRef } },
        },
      ],
    })
  })
})

test('what is in present names, or not ours, stays as it is', () => {
  const secret = 'apiVersion: v1\nkind: Secret # s\nmetadata: {name:   x}\n'
  const text = `${rewritten(database, networks)}---\n${secret}`

  expect(rewriteManifests(text)).toBe(text)
})

test('a form that it cannot rewrite is refused, and nothing is lost', () => {
  const text = facilitator(
    'pods: &p { labels: { a: b } }',
    'databaseSecretRef: { name: db }',
    networks,
    'x: *p',
  )
  const merged = facilitator('databaseSecretRef: { name: db }', networks, 'pods: *missing')

  expect(() => rewriteManifests(text)).toThrow('does not rewrite')
  expect(() => rewriteManifests(merged)).toThrow()
})
