import { type ActorName, machines, pods } from './actors.ts'

/** One row of the table: a destination, and who of the actors reaches it. */
export interface Flow {
  readonly to: string
  /** An address, a Service as `namespace/name`, or a pod as `pod:name`. */
  readonly at: string
  readonly port: number
  readonly protocol?: 'UDP'
  /** Who answers. */
  readonly by: string
  readonly works: readonly ActorName[]
}

const parts = ['facilitator', 'catalog', 'explorer'] as const

/** Who connects to the pods of a Facilitator. The pods of the operator and the parts connect to each other, too. */
export const callers: readonly ActorName[] = [
  ...['seller', 'gateway', 'prometheus', 'neighbour', 'operator', 'catalog', 'migration'],
  ...['customer', 'passerby', 'node'],
] as ActorName[]

const podCallers = callers.filter((name) => !(name in machines))

export interface Peers {
  readonly clients: readonly ActorName[]
  readonly monitoring: readonly ActorName[]
  readonly extra?: readonly ActorName[]
}

/** Without `networkPolicy` in the spec. */
export const byDefault: Peers = { clients: callers, monitoring: podCallers }

/** With `restrictions` in the spec. */
export const restricted: Peers = {
  clients: ['gateway', 'customer', 'node'],
  monitoring: ['prometheus', 'node'],
  extra: ['seller', 'node'],
}

const inNamespace = (name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
})

/** A value of `networkPolicy`. */
export const restrictions = {
  clients: [inNamespace(pods.gateway.namespace), { ipBlock: { cidr: '203.0.113.0/24' } }],
  monitoring: [inNamespace(pods.prometheus.namespace)],
  extraIngress: [{ from: [inNamespace(pods.seller.namespace)], ports: [{ port: 7_070 }] }],
  extraEgress: [{ to: [{ ipBlock: { cidr: '192.168.77.0/24' } }], ports: [{ port: 6_000 }] }],
}

/** Machines outside of the cluster reach the address of a pod, as a load balancer does, and no ClusterIP. */
export const ingress = ({ clients, monitoring, extra = ['node'] }: Peers): readonly Flow[] => [
  ...parts.flatMap((part): readonly Flow[] => [
    { to: `the API of ${part}`, at: `pod:${part}`, port: 8_080, by: part, works: clients },
    { to: `the metrics of ${part}`, at: `pod:${part}`, port: 9_090, by: part, works: monitoring },
    { to: `another port of ${part}`, at: `pod:${part}`, port: 7_070, by: part, works: extra },
  ]),
  // A node reaches its own pods with every plugin.
  ...(['migration', 'preflight'] as const).map((job) => ({
    to: `the Job ${job}`,
    at: `pod:${job}`,
    port: 8_080,
    by: job,
    works: ['node'] as const,
  })),
]

/** Through Services, whose port 80 is 8080 of the pod. */
export const throughServices = ({ clients, monitoring }: Peers): readonly Flow[] =>
  parts.flatMap((part): readonly Flow[] => {
    const at = `flows/payments-${part}`
    const inside = (actors: readonly ActorName[]) => actors.filter((name) => !(name in machines))
    return [
      { to: `the Service of ${part}`, at, port: 80, by: part, works: inside(clients) },
      {
        to: `its Service for metrics`,
        at: `${at}-admin`,
        port: 9_090,
        by: part,
        works: inside(monitoring),
      },
    ]
  })

export const throughServicesCallers = podCallers

/** Whose connections the operator limits. */
export const ownPods: readonly ActorName[] = [...parts, 'migration', 'preflight']

const serving: readonly ActorName[] = [...parts, 'preflight']

/** Where the pods of a Facilitator connect to. */
export const egress = ({
  anyPort = [],
}: {
  readonly anyPort?: readonly ActorName[]
} = {}): readonly Flow[] => [
  { to: 'Postgres', at: 'flows-data/postgres', port: 5_432, by: 'postgres', works: ownPods },
  { to: 'Stellar RPC', at: 'flows-data/rpc', port: 80, by: 'rpc', works: ownPods },
  { to: 'DNS', at: 'flows-data/dns', port: 53, by: 'dns', works: ownPods },
  { to: 'DNS', at: 'flows-data/dns', port: 53, protocol: 'UDP', by: 'dns', works: ownPods },
  ...[
    { to: 'DNS outside', port: 53, works: ownPods },
    { to: 'DNS outside', port: 53, protocol: 'UDP' as const, works: ownPods },
    { to: 'Postgres outside', port: 5_432, works: ownPods },
    { to: 'Stellar RPC outside', port: 443, works: serving },
    { to: 'its second URL', port: 8_545, works: serving },
    { to: 'the collector of traces', port: 4_318, works: serving },
    { to: 'the embeddings service', port: 8_081, works: ['catalog'] as const },
    { to: 'a facilitator of the registry', port: 7_443, works: ['explorer'] as const },
    { to: 'a private address', port: 6_000, works: anyPort },
  ].map((flow) => ({ ...flow, at: machines.office, by: 'outside' })),
  {
    to: 'the origin of a listed resource',
    at: machines.customer,
    port: 6_000,
    by: 'outside',
    works: ['catalog', 'explorer'],
  },
  {
    to: 'the metadata service of a cloud',
    at: machines.metadata,
    port: 443,
    by: 'outside',
    works: [],
  },
]
