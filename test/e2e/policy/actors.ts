/* Who takes part in the matrix of flows: pods that stand for programs, machines outside of the cluster, and the node. */

export interface Actor {
  readonly namespace: string
  /** Absent for those whose labels come from what the operator or the chart renders. */
  readonly labels?: Readonly<Record<string, string>>
  readonly ports: readonly number[]
}

/** Ports of every pod that the operator or the chart makes, and one that no policy names. */
const own = [8_080, 9_090, 7_070]

export const pods = {
  facilitator: { namespace: 'flows', ports: own },
  catalog: { namespace: 'flows', ports: own },
  explorer: { namespace: 'flows', ports: own },
  migration: { namespace: 'flows', ports: own },
  preflight: { namespace: 'flows', ports: own },
  operator: { namespace: 'flows-system', ports: [9_090, 7_070] },
  seller: { namespace: 'flows-sellers', labels: { app: 'seller' }, ports: [] },
  gateway: { namespace: 'flows-gateways', labels: { app: 'gateway' }, ports: [] },
  prometheus: { namespace: 'flows-monitoring', labels: { app: 'prometheus' }, ports: [] },
  /** In the namespace of the Facilitator, but not one of its pods. */
  neighbour: { namespace: 'flows', labels: { app: 'neighbour' }, ports: [] },
  postgres: { namespace: 'flows-data', labels: { app: 'postgres' }, ports: [6_432] },
  rpc: { namespace: 'flows-data', labels: { app: 'rpc' }, ports: [8_000] },
  dns: { namespace: 'flows-data', labels: { app: 'dns' }, ports: [5_353] },
} as const satisfies Readonly<Record<string, Actor>>

export type PodName = keyof typeof pods

/** Services whose port differs from that of the pod, as `name: [port, target port]`. */
export const services = {
  postgres: [5_432, 6_432],
  rpc: [80, 8_000],
  dns: [53, 5_353],
} as const satisfies Partial<Record<PodName, readonly [number, number]>>

/** Addresses of machines outside of the cluster. The first is in the block of the test's `clients`. */
export const machines = {
  customer: '203.0.113.10',
  passerby: '198.51.100.10',
  office: '192.168.77.10',
  metadata: '169.254.169.254',
} as const

type MachineName = keyof typeof machines

/** What listens on every machine. */
export const machinePorts = [53, 443, 4_318, 5_432, 6_000, 7_443, 8_081, 8_545] as const

export type ActorName = PodName | MachineName | 'node'

/** What listens on the node: a collector of traces with `hostNetwork`. */
export const nodePorts = [4_318] as const
