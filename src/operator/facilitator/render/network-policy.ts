import type { Facilitator } from '../../../api/facilitator.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import type { DesiredFacilitator } from '../desired.ts'
import { ports } from '../environment.ts'
import { type PartName, partsOf } from '../parts.ts'
import { secretId } from '../secret-files.ts'
import { MIGRATION, metadataOf, selectorOf } from './common.ts'

type Rule = Readonly<Record<string, unknown>>

const HTTPS = 443
const DNS = 53
const POSTGRES = 5_432

/** Every address inside and outside the cluster, except the metadata services of clouds (they hold credentials). */
const everywhere = [
  { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
  { ipBlock: { cidr: '::/0', except: ['fd00:ec2::254/128', 'fe80::/10'] } },
  { namespaceSelector: {} },
]

/** Sellers and announced facilitators are asked at addresses that strangers chose: only public ones, and none of the cluster. */
const strangers: Rule = {
  to: [
    {
      ipBlock: {
        cidr: '0.0.0.0/0',
        except: [
          '0.0.0.0/8',
          '10.0.0.0/8',
          '100.64.0.0/10',
          '127.0.0.0/8',
          '169.254.0.0/16',
          '172.16.0.0/12',
          '192.168.0.0/16',
          '198.18.0.0/15',
          '224.0.0.0/3',
        ],
      },
    },
    // Global unicast; the translation prefixes 64:ff9b::/96 and 64:ff9b:1::/48 are outside.
    { ipBlock: { cidr: '2000::/3', except: ['2002::/16'] } },
  ],
  ports: [{ protocol: 'TCP', port: 1, endPort: 65_535 }],
}

const tcp = (port: number) => ({ protocol: 'TCP', port })
const dns: Rule = { ports: [{ protocol: 'UDP', port: DNS }, tcp(DNS)] }
const egressTo = (...numbers: readonly number[]): Rule => ({
  to: everywhere,
  ports: [...new Set(numbers)].sort((one, other) => one - other).map(tcp),
})

const asksStrangers: ReadonlySet<PartName> = new Set(['Catalog', 'Explorer'])

/** A default-deny policy for all pods, and one with the needed flows for each part. */
export function networkPolicies(desired: DesiredFacilitator): readonly DesiredObject[] {
  const { facilitator } = desired
  if (facilitator.spec.networkPolicy.mode === 'Never') return []
  const store = egressTo(databasePort(desired))
  return [
    policy(facilitator, undefined, { ingress: [], egress: [] }),
    policy(facilitator, MIGRATION, { ingress: [], egress: [dns, store] }),
    ...partsOf(facilitator).map(({ name, component }) =>
      policy(facilitator, component, {
        ingress: ingressOf(facilitator),
        egress: [
          dns,
          store,
          egressTo(...externalPorts[name](desired)),
          ...(asksStrangers.has(name) ? [strangers] : []),
        ],
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

/** Ports that each part connects to anywhere: Stellar RPC, facilitators that the spec names, embeddings. */
const externalPorts: Readonly<
  Record<PartName, (desired: DesiredFacilitator) => readonly number[]>
> = {
  Facilitator: rpcPorts,
  Catalog: (desired) => {
    const { embeddings } = desired.facilitator.spec.catalog
    return [...rpcPorts(desired), ...(embeddings ? [portOf(embeddings.url)] : [])]
  },
  Explorer: (desired) => [
    ...rpcPorts(desired),
    ...desired.facilitator.spec.explorer.registry.map(portOf),
  ],
}

function rpcPorts({ networks }: DesiredFacilitator): readonly number[] {
  return networks.flatMap(({ pool }) => pool.spec.rpc.urls.map(portOf))
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? (protocol === 'https:' ? HTTPS : 80) : Number(port)
}

function databasePort({ facilitator, secrets }: DesiredFacilitator): number {
  const { port } = new URL(secrets.get(secretId(facilitator.spec.database.secretRef)) ?? '')
  return port === '' ? POSTGRES : Number(port)
}

function ingressOf({ spec: { networkPolicy } }: Facilitator): readonly Rule[] {
  const { clients = anyNamespace, monitoring = anyNamespace } = networkPolicy
  return [
    { from: clients, ports: [tcp(ports.http)] },
    { from: monitoring, ports: [tcp(ports.admin)] },
  ]
}

const anyNamespace = [{ namespaceSelector: {} }]
