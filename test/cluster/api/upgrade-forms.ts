import type { KindName } from '../../../src/api/group.ts'
import type { Json } from '../../support/api/manifests.ts'

/* The same objects in earlier names and in present ones. */

type Forms = Readonly<Record<KindName, Readonly<Record<string, Json>>>>

const resources = { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '512Mi' } }
const pool = {
  network: 'stellar:testnet',
  rpc: { urls: ['https://rpc.example'] },
  sponsorSecretRef: { name: 'sponsor' },
}

export const earlierForms: Forms = {
  Facilitator: {
    small: { databaseSecretRef: { name: 'db' }, networks: [{ channelPool: 'testnet' }] },
    full: {
      databaseSecretRef: { name: 'db', key: 'dsn' },
      networks: [
        { channelPool: 'testnet', requireApiKey: false },
        { channelPool: 'pubnet', requireApiKey: true, timeouts: { min: '15s' } },
      ],
      apiKeys: { digestsSecretRef: { name: 'keys' } },
      autoscale: { max: 6 },
      resources,
      pods: {
        labels: { team: 'a' },
        annotations: { note: 'b' },
        imagePullSecrets: [{ name: 'registry' }],
        nodeSelector: { disk: 'fast' },
        tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'a', effect: 'NoSchedule' }],
      },
      route: {
        host: 'pay.example',
        explorerHost: 'see.example',
        gatewayRef: { name: 'public', namespace: 'gateways' },
      },
      networkPolicy: { clientNamespaces: { team: 'a' }, monitoringNamespaces: { team: 'b' } },
    },
  },
  ChannelPool: {
    small: { ...pool, databaseSecretRef: { name: 'db' } },
    full: {
      ...pool,
      databaseSecretRef: { name: 'db', key: 'dsn' },
      autoscale: { min: 4, max: 9 },
      minSponsorBalanceXlm: '30',
    },
  },
}

const inNamespaces = (team: string) => [{ namespaceSelector: { matchLabels: { team } } }]

export const presentForms: Forms = {
  Facilitator: {
    small: { database: { secretRef: { name: 'db' } }, networks: [{ channelPool: 'testnet' }] },
    full: {
      database: { secretRef: { name: 'db', key: 'dsn' } },
      networks: [
        { channelPool: 'testnet', access: 'Everyone' },
        { channelPool: 'pubnet', access: 'ApiKeys', timeouts: { min: '15s' } },
      ],
      apiKeys: { digestsSecretRef: { name: 'keys' } },
      autoscale: { maxReplicas: 6 },
      resources,
      podTemplate: {
        metadata: { labels: { team: 'a' }, annotations: { note: 'b' } },
        spec: {
          imagePullSecrets: [{ name: 'registry' }],
          nodeSelector: { disk: 'fast' },
          tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'a', effect: 'NoSchedule' }],
        },
      },
      route: {
        hosts: ['pay.example'],
        explorerHost: 'see.example',
        parentRefs: [{ name: 'public', namespace: 'gateways' }],
      },
      networkPolicy: { clients: inNamespaces('a'), monitoring: inNamespaces('b') },
    },
  },
  ChannelPool: {
    small: { ...pool, database: { secretRef: { name: 'db' } } },
    full: {
      ...pool,
      database: { secretRef: { name: 'db', key: 'dsn' } },
      autoscale: { min: 4, max: 9 },
      minSponsorBalanceXlm: '30',
    },
  },
}
