import { type ChannelPool, channelPool } from '../../../../../src/kubernetes/crd/channel-pool.ts'
import { type Facilitator, facilitator } from '../../../../../src/kubernetes/crd/facilitator.ts'
import type { DesiredFacilitator } from '../../../../../src/kubernetes/operator/facilitator/desired/desired.ts'
import { podImage } from '../../../../../src/kubernetes/operator/facilitator/spec/image.ts'
import { secretDigest } from '../../../../../src/kubernetes/operator/secret-digest.ts'
import { facilitatorManifest, type Json, poolManifest } from '../../../../support/api/manifests.ts'

const NAMESPACE = 'shop'
export const DEFAULT_IMAGE = 'registry.example/stellar-x402:1.0.0'

const metadata = (name: string, uid: string) => ({
  name,
  namespace: NAMESPACE,
  uid,
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
})

/** As the operator reads it, with every default. */
export function facilitatorWith(
  spec: Json = {},
  meta: Partial<Facilitator['metadata']> = {},
): Facilitator {
  const manifest = facilitatorManifest(spec)
  const stored = {
    ...facilitator.parse(manifest),
    apiVersion: 'x402.svc.dev/v1beta1',
    kind: 'Facilitator',
    metadata: { ...metadata(manifest.metadata.name, 'uid-payments'), ...meta },
  }
  return stored as Facilitator
}

export function poolWith(
  spec: Json = {},
  { name = 'testnet', status }: { name?: string; status?: Json } = {},
): ChannelPool {
  const stored = {
    ...channelPool.parse(poolManifest(spec, { name })),
    ...(status && { status }),
    apiVersion: 'x402.svc.dev/v1beta1',
    kind: 'ChannelPool',
    metadata: metadata(name, `uid-${name}`),
  }
  return stored as ChannelPool
}

export const testnet = () => poolWith()
export const pubnet = () =>
  poolWith(
    {
      network: 'stellar:pubnet',
      rpc: { urls: ['https://one.example', 'https://two.example:8443/rpc'] },
      sponsor: { secretRef: { name: 'pubnet-sponsor', key: 'seed' } },
      minSponsorBalanceXlm: '200',
    },
    { name: 'pubnet' },
  )

/** Its endpoints and their header are in a Secret. */
export const privateRpc = () =>
  poolWith({
    rpc: {
      secretRef: { name: 'rpc-provider' },
      headersSecretRef: { name: 'rpc-provider' },
    },
  })

export const existingSecrets: Readonly<Record<string, string>> = {
  'x402-database/url': 'postgres://svc:secret@db.shop.svc:5433/x402',
  'testnet-sponsor/secret': `S${'A'.repeat(55)}`,
  'pubnet-sponsor/seed': `S${'B'.repeat(55)}`,
  'rpc-provider/urls': 'https://rpc.example/v1/path-key?api_key=query-key,https://two.example:8443',
  'rpc-provider/headers': 'https://two.example:8443 X-Api-Key: header-key',
  'keys/sha256': 'a'.repeat(64),
  'embeddings/apiKey': 'opaque',
}

export const testDigest = secretDigest(Buffer.alloc(32, 7))

export function desiredWith(
  spec: Json = {},
  {
    meta = {},
    pools = [testnet()],
    secrets = {},
  }: {
    readonly meta?: Partial<Facilitator['metadata']>
    readonly pools?: readonly ChannelPool[]
    readonly secrets?: Readonly<Record<string, string>>
  } = {},
): DesiredFacilitator {
  const one = facilitatorWith(spec, meta)
  const image = podImage(one, DEFAULT_IMAGE)
  if (!image) throw new Error('there is a default image')
  return {
    facilitator: one,
    networks: one.spec.networks.map((settings) => {
      const pool = pools.find(({ metadata: { name } }) => name === settings.channelPool)
      if (!pool) throw new Error(`there is no pool ${settings.channelPool}`)
      return { settings, pool }
    }),
    image,
    digest: testDigest,
    secrets: new Map(Object.entries({ ...existingSecrets, ...secrets })),
  }
}

/** Every field of a spec set to something that shows. */
export const everything: Json = {
  replicas: 6,
  autoscale: { minReplicas: 2, maxReplicas: 12, targetInFlightSettlements: 20 },
  image: { repository: 'registry.example/x402', tag: '2.1.0', pullPolicy: 'Always' },
  networks: [
    {
      channelPool: 'testnet',
      assets: [
        {
          contract: `C${'A'.repeat(55)}`,
          symbol: 'USDC',
          decimals: 7,
          minAmount: '1000',
          maxAmount: '100000000',
        },
        { contract: `C${'B'.repeat(55)}`, symbol: 'EURC', decimals: 7 },
        { contract: `C${'D'.repeat(55)}`, symbol: 'LEAST', decimals: 7, minAmount: '1000' },
        { contract: `C${'E'.repeat(55)}`, symbol: 'MOST', decimals: 7, maxAmount: '1000' },
      ],
      payers: {
        limitToFunds: false,
        pauseAfterFailures: 5,
        failureWindowSeconds: 600,
        pauseSeconds: 90,
      },
      sponsor: { reserveXlm: '10', spendXlmPerHour: '5', maxKeySharePercent: 40 },
      timeouts: { min: '15s', max: '2m' },
      upto: {
        contract: `C${'F'.repeat(55)}`,
        keeper: { autoRestore: false, floorLedgers: 100_000, targetLedgers: 200_000 },
      },
    },
    { channelPool: 'pubnet', access: 'ApiKeys', fees: { maxTxFeeStroops: '400000' } },
  ],
  apiKeys: { digestsSecretRef: { name: 'keys' } },
  rateLimitPerMinute: 1200,
  rateLimitPerKeyPerMinute: 12_000,
  serviceFeePerSettlementUsd: '0.001',
  logLevel: 'Debug',
  resources: {
    requests: { cpu: '0.5', memory: '1024Mi' },
    limits: { cpu: '2000m', memory: '2048Mi' },
  },
  podTemplate: {
    metadata: { labels: { team: 'payments' }, annotations: { 'example.com/note': 'kept' } },
    spec: {
      imagePullSecrets: [{ name: 'registry' }],
      priorityClassName: 'important',
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      tolerations: [{ key: 'dedicated', value: 'payments', effect: 'NoSchedule' }],
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              podAffinityTerm: {
                topologyKey: 'kubernetes.io/hostname',
                labelSelector: { matchLabels: { app: 'noisy' } },
              },
            },
          ],
        },
      },
    },
  },
  catalog: {
    enabled: true,
    replicas: 3,
    embeddings: {
      url: 'https://embeddings.example:9443/v1',
      model: 'small',
      secretRef: { name: 'embeddings' },
    },
  },
  explorer: { enabled: true, registry: ['https://other.example', 'http://third.example:8080'] },
  route: {
    hosts: ['pay.example.com'],
    explorerHost: 'explorer.example.com',
    ingressClassName: 'nginx',
    tlsSecretName: 'pay-tls',
    trustedProxyHops: 2,
    annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
  },
  networkPolicy: {
    clients: [{ namespaceSelector: { matchLabels: { 'x402.svc.dev/client': 'yes' } } }],
    monitoring: [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
    ],
  },
  monitoring: { monitor: 'ServiceMonitor', interval: '15s', labels: { release: 'prometheus' } },
}

export const desiredEverything = () => desiredWith(everything, { pools: [testnet(), pubnet()] })
