import { describe, expect, test } from 'vitest'
import { render } from '../../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import { publicUrls } from '../../../../../../src/kubernetes/operator/facilitator/spec/public-urls.ts'
import type { Json } from '../../../../../support/api/manifests.ts'
import { desiredWith } from '../builders.ts'

const C = (letter: string) => `C${letter.repeat(55)}`
const url = 'postgres://svc:secret@db.shop.svc/x402'

/** The rendered object of a kind and name. */
function child(spec: Json, kind: string, name = 'payments-facilitator') {
  const { independent, rollouts } = render(desiredWith(spec))
  const all = [...independent, ...rollouts.map(({ deployment }) => deployment)]
  const found = all.find((object) => object.kind === kind && object.metadata.name === name)
  return found && { metadata: found.metadata, spec: Object(found['spec']) }
}

describe('the policies', () => {
  const policy = (networkPolicy: Json, name?: string) =>
    child({ networkPolicy }, 'NetworkPolicy', name)?.spec

  test('let an ingress in that is no pod: a load balancer, or the network of a node', () => {
    expect(policy({}).ingress[0]).toEqual({ ports: [{ protocol: 'TCP', port: 8080 }] })
  })

  test('take peers and rules as they are', () => {
    const clients = [{ ipBlock: { cidr: '10.0.0.0/8' } }, { podSelector: {} }]
    const extraIngress = [{ from: [{ podSelector: { matchLabels: { app: 'mesh' } } }] }]
    const extraEgress = [{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }]
    const { ingress, egress } = policy({ clients, extraIngress, extraEgress })
    expect(ingress[0].from).toEqual(clients)
    expect(ingress.at(-1)).toEqual(extraIngress[0])
    expect(egress.at(-1)).toEqual(extraEgress[0])
    expect(policy({ extraEgress }, 'payments-migration').egress.at(-1)).toEqual(extraEgress[0])
  })

  test('let the explorer ask the catalog, whatever clients are let through', () => {
    const clients = [{ ipBlock: { cidr: '10.0.0.0/8' } }]
    const spec = { catalog: { enabled: true }, explorer: { enabled: true } }
    const fromOf = (name: string) =>
      child({ networkPolicy: { clients }, ...spec }, 'NetworkPolicy', name)?.spec.ingress[0].from
    expect(fromOf('payments-catalog')).toEqual([
      ...clients,
      {
        podSelector: {
          matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': 'explorer' }),
        },
      },
    ])
    expect(fromOf('payments-explorer')).toEqual(clients)
    expect(fromOf('payments-facilitator')).toEqual(clients)
  })

  test('reach pods behind a Service with another port, and DNS pods of OpenShift', () => {
    for (const name of ['payments-facilitator', 'payments-migration']) {
      expect(policy({}, name).egress).toContainEqual({ to: [{ namespaceSelector: {} }] })
    }
  })

  test('let pods reach the proxy of the pod template, and the port that the URL of the database has as a parameter', () => {
    const env = [
      { name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' },
      { name: 'NO_PROXY', value: '.svc' },
      { name: 'http_proxy', valueFrom: { configMapKeyRef: { name: 'proxy', key: 'url' } } },
    ]
    const spec = { podTemplate: { spec: { containers: [{ name: 'svc', env }] } } }
    const secrets = { 'x402-database/url': `${url}?port=6543` }
    const { independent } = render(desiredWith(spec, { secrets }))
    const portsOf = (name: string) => {
      const found = independent.find(
        ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name,
      )
      const rules: { ports?: { port: number }[] }[] = Object(found?.['spec']).egress
      return rules.flatMap(({ ports = [] }) => ports.map(({ port }) => port))
    }
    expect(portsOf('payments-facilitator')).toEqual([53, 53, 6_543, 443, 3_128])
    expect(portsOf('payments-migration')).toEqual([53, 53, 6_543])
  })

  test('deny nothing to pods of another chart with the same name and instance', () => {
    expect(policy({}, 'payments-default-deny').podSelector.matchLabels).toMatchObject({
      'x402.svc.dev/facilitator': 'payments',
      'app.kubernetes.io/managed-by': 'stellar-x402-operator',
    })
  })
})

describe('the objects around the pods', () => {
  test('are exposed as the spec says: Service, account, budget, autoscaler, hosts', () => {
    const spec: Json = {
      replicas: 3,
      service: {
        type: 'LoadBalancer',
        annotations: { 'example.com/lb': 'internal' },
        labels: { team: 'payments' },
        loadBalancerClass: 'example.com/lb',
        externalTrafficPolicy: 'Local',
      },
      serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn' } },
      podDisruptionBudget: { minAvailable: '50%' },
      autoscale: {
        maxReplicas: 6,
        behavior: { scaleUp: { stabilizationWindowSeconds: 60 } },
      },
      route: { hosts: ['a.example', 'b.example'], parentRefs: [{ name: 'one' }, { name: 'two' }] },
      catalog: { enabled: true },
    }
    const service = child(spec, 'Service')
    expect(service?.spec).toMatchObject({
      type: 'LoadBalancer',
      loadBalancerClass: 'example.com/lb',
      externalTrafficPolicy: 'Local',
    })
    expect(service?.metadata).toMatchObject({
      annotations: { 'example.com/lb': 'internal' },
      labels: { team: 'payments' },
    })
    expect(service?.spec.ports).toEqual([
      { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' },
    ])
    for (const name of ['catalog', 'catalog-admin', 'facilitator-admin']) {
      expect(child(spec, 'Service', `payments-${name}`)?.spec.type, name).toBe('ClusterIP')
    }
    expect(child(spec, 'ServiceAccount', 'payments-pods')?.metadata.annotations).toEqual({
      'eks.amazonaws.com/role-arn': 'arn',
    })
    const budget = child(spec, 'PodDisruptionBudget')?.spec
    expect(budget).toMatchObject({ minAvailable: '50%', unhealthyPodEvictionPolicy: 'AlwaysAllow' })
    expect(budget).not.toHaveProperty('maxUnavailable')
    expect(child(spec, 'HorizontalPodAutoscaler')?.spec.behavior).toEqual({
      scaleUp: { stabilizationWindowSeconds: 60 },
      scaleDown: { stabilizationWindowSeconds: 300 },
    })
    const route = child(spec, 'HTTPRoute')?.spec
    expect(route.hostnames).toEqual(['a.example', 'b.example'])
    expect(route.parentRefs).toHaveLength(2)
  })

  test('have no ServiceAccount where the pods use another one', () => {
    const podTemplate = { spec: { serviceAccountName: 'cloud' } }
    expect(child({ podTemplate }, 'ServiceAccount', 'payments-pods')).toBeUndefined()
  })

  test.each<{ route: Json; scheme: string }>([
    { route: { ingressClassName: 'nginx' }, scheme: 'http' },
    { route: { ingressClassName: 'nginx', tlsSecretName: 'tls' }, scheme: 'https' },
    { route: { parentRefs: [{ name: 'gw' }] }, scheme: 'https' },
    { route: { parentRefs: [{ name: 'gw', sectionName: 'https' }] }, scheme: 'https' },
    { route: { parentRefs: [{ name: 'gw', sectionName: 'http' }] }, scheme: 'http' },
    { route: { parentRefs: [{ name: 'gw', port: 80 }] }, scheme: 'http' },
  ])('promise $scheme only where it is served: $route', ({ route, scheme }) => {
    const { facilitator } = desiredWith({ route: { hosts: ['pay.example'], ...route } })
    expect(publicUrls(facilitator)?.url).toBe(`${scheme}://pay.example`)
  })
})

describe('what depends on another field when it is absent', () => {
  test.each([
    { autoscale: { maxReplicas: 1 }, minReplicas: 1 },
    { autoscale: { maxReplicas: 9 }, minReplicas: 2 },
    { autoscale: { minReplicas: 3, maxReplicas: 9 }, minReplicas: 3 },
  ])('is the minimum of an autoscaler: $autoscale', ({ autoscale, minReplicas }) => {
    const { spec } = child({ autoscale }, 'HorizontalPodAutoscaler') ?? {}
    expect(spec).toMatchObject({ minReplicas, maxReplicas: autoscale.maxReplicas })
  })

  test.each([
    { budget: {}, is: { maxUnavailable: 1 } },
    { budget: { minAvailable: '50%' }, is: { minAvailable: '50%' } },
    { budget: { maxUnavailable: 2 }, is: { maxUnavailable: 2 } },
  ])('is how many pods may be missing: $budget', ({ budget, is }) => {
    const { selector: _, ...spec } = Object(
      child({ podDisruptionBudget: budget }, 'PodDisruptionBudget')?.spec,
    )
    expect(spec).toEqual({ ...is, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
  })
})

describe('the environment', () => {
  test('has what the spec watches, keeps and traces, and each URL of the database as a file', () => {
    const spec: Json = {
      database: {
        secretRef: { name: 'x402-database' },
        caSecretRef: { name: 'db-ca' },
        directSecretRef: { name: 'db-direct' },
        poolSize: 4,
      },
      tracing: { endpoint: 'http://collector:4318' },
      catalog: { enabled: true },
      explorer: { enabled: true, retentionDays: 90, databaseReplicaSecretRef: { name: 'replica' } },
      networks: [
        {
          channelPool: 'testnet',
          upto: { contract: C('A') },
          watchedContracts: [{ alias: 'mine', contract: C('B') }],
          watchedAssets: ['All'],
          otherUptoContracts: [C('D')],
        },
      ],
    }
    const secrets = { 'db-ca/ca.crt': 'pem', 'db-direct/url': url, 'replica/url': url }
    const desired = desiredWith(spec, { secrets })
    const database = {
      DATABASE_URL_FILE: '/etc/x402/secrets/database-url',
      DATABASE_CA_FILE: '/etc/x402/secrets/database-ca.crt',
      DATABASE_DIRECT_URL_FILE: '/etc/x402/secrets/database-direct-url',
      DATABASE_POOL_SIZE: '4',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    }
    const environmentOf = (name: string) =>
      render(desired).rollouts.find(({ part }) => part.name === name)?.configMap['data']
    expect(environmentOf('Catalog')).toMatchObject(database)
    expect(environmentOf('Facilitator')).toMatchObject({
      ...database,
      TESTNET_WATCHED_CONTRACTS: `mine=${C('B')}`,
    })
    expect(environmentOf('Explorer')).toMatchObject({
      ...database,
      CATALOG_URL: 'http://payments-catalog.shop.svc',
      EXPLORER_RETENTION_DAYS: '90',
      EXPLORER_DATABASE_URL_FILE: '/etc/x402/secrets/explorer-database-url',
      TESTNET_UPTO_CONTRACT: C('A'),
      TESTNET_OTHER_UPTO_CONTRACTS: C('D'),
      TESTNET_WATCHED_SACS: 'all',
    })
    const { template } = Object(render(desired).migration['spec'])
    const mounted = JSON.stringify(template.spec.volumes)
    for (const name of ['x402-database', 'db-ca', 'db-direct']) expect(mounted).toContain(name)
  })
})
