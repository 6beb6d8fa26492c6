import type { Facilitator } from '../../../api/facilitator.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import { ports } from '../environment.ts'
import { type PartName, partsOf } from '../parts.ts'
import { secretId, type Wanted } from '../wanted.ts'
import { MIGRATION, metadataOf, selectorOf } from './common.ts'

type Rule = Readonly<Record<string, unknown>>

const HTTPS = 443
const DNS = 53
const POSTGRES = 5_432

/**
 * Everywhere, inside and outside the cluster, but for the addresses at which clouds tell a machine its
 * own secrets.
 */
const elsewhere = [
  { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
  { ipBlock: { cidr: '::/0', except: ['fd00:ec2::254/128', 'fe80::/10'] } },
  { namespaceSelector: {} },
]

const tcp = (port: number) => ({ protocol: 'TCP', port })
const names: Rule = { ports: [{ protocol: 'UDP', port: DNS }, tcp(DNS)] }
const to = (...numbers: readonly number[]): Rule => ({
  to: elsewhere,
  ports: [...new Set(numbers)].sort((one, other) => one - other).map(tcp),
})

/** Nothing goes in or out of a pod unless a policy of its part names it. */
export function networkPolicies(wanted: Wanted): readonly DesiredObject[] {
  const { facilitator } = wanted
  if (facilitator.spec.networkPolicy.mode === 'Never') return []
  const store = to(databasePort(wanted))
  return [
    policy(facilitator, undefined, { ingress: [], egress: [] }),
    policy(facilitator, MIGRATION, { ingress: [], egress: [names, store] }),
    ...partsOf(facilitator).map(({ name, component }) =>
      policy(facilitator, component, {
        ingress: ingressOf(facilitator),
        egress: [names, store, to(...outside[name](wanted))],
      }),
    ),
  ]
}

const policy = (
  facilitator: Facilitator,
  component: string | undefined,
  { ingress, egress }: { readonly ingress: readonly Rule[]; readonly egress: readonly Rule[] },
): DesiredObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadataOf(facilitator, { suffix: component ?? 'default-deny', component }),
  spec: {
    podSelector: { matchLabels: selectorOf(facilitator, component) },
    policyTypes: ['Ingress', 'Egress'],
    ingress,
    egress,
  },
})

/** Each part's ports of what is outside: Stellar RPC, sellers, other facilitators, embeddings. */
const outside: Readonly<Record<PartName, (wanted: Wanted) => readonly number[]>> = {
  Facilitator: rpcPorts,
  Catalog: (wanted) => {
    const { embeddings } = wanted.facilitator.spec.catalog
    return [HTTPS, ...rpcPorts(wanted), ...(embeddings ? [portOf(embeddings.url)] : [])]
  },
  Explorer: (wanted) => [
    HTTPS,
    ...rpcPorts(wanted),
    ...wanted.facilitator.spec.explorer.registry.map(portOf),
  ],
}

function rpcPorts({ networks }: Wanted): readonly number[] {
  return networks.flatMap(({ pool }) => pool.spec.rpc.urls.map(portOf))
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? (protocol === 'https:' ? HTTPS : 80) : Number(port)
}

function databasePort({ facilitator, secrets }: Wanted): number {
  const { port } = new URL(secrets.get(secretId(facilitator.spec.databaseSecretRef)) ?? '')
  return port === '' ? POSTGRES : Number(port)
}

function ingressOf({ spec: { networkPolicy } }: Facilitator): readonly Rule[] {
  const { clientNamespaces, monitoringNamespaces } = networkPolicy
  return [
    { from: within(clientNamespaces), ports: [tcp(ports.http)] },
    { from: within(monitoringNamespaces), ports: [tcp(ports.admin)] },
  ]
}

const within = (matchLabels: Readonly<Record<string, string>> | undefined) => [
  { namespaceSelector: matchLabels ? { matchLabels } : {} },
]
