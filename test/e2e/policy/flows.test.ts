import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectNodes, type RealCluster } from '../support/node.ts'
import type { Target } from '../support/policy/probers.ts'
import { connectEnforcer, type Enforcement } from '../support/policy/start-enforcer.ts'
import { type ActorName, machines, nodePorts, type PodName, pods } from './actors.ts'
import {
  byDefault,
  callers,
  egress,
  type Flow,
  ingress,
  ownPods,
  restricted,
  restrictions,
  throughServices,
  throughServicesCallers,
} from './flows.ts'
import { renderChart, renderFacilitator } from './rendered.ts'
import { Stage } from './stage.ts'

let stage: Stage
let enforcement: Enforcement
let cluster: RealCluster
const { namespace } = pods.facilitator

beforeAll(async () => {
  cluster = await connectNodes(inject('nodes'))
  enforcement = connectEnforcer(cluster.at)
  const chart = await renderChart(cluster.kubeconfigPath, '')
  const rendered = renderFacilitator()
  stage = await Stage.open({ cluster, enforcement, rendered, operatorLabels: chart.labels })
})

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
})

/** Enforces what the operator renders for the spec. */
const enforce = (networkPolicy: Readonly<Record<string, unknown>>) =>
  stage.enforce(renderFacilitator({ networkPolicy }).policies, namespace)

async function hostOf(at: string): Promise<string> {
  if (at.startsWith('pod:')) return stage.addressOf(at.slice(4) as PodName)
  const [namespaceName = '', name] = at.split('/')
  return name === undefined ? at : (await stage.service(namespaceName, name)).clusterIP
}

/** Each actor that the row names reaches the destination, and a rule refuses each other one. */
async function expectFlow(flow: Flow, all: readonly ActorName[]): Promise<void> {
  const { at, by, works, ...rest } = flow
  const actors = all.filter((actor) => actor !== by)
  const seen = await stage.tryAll(actors, { ...rest, host: await hostOf(at), greets: true })
  expect(seen).toEqual(
    Object.fromEntries(
      actors.map((actor) => [actor, works.includes(actor) ? `reached ${by}` : 'refused']),
    ),
  )
}

test('without policies, every connection of the tables is made', async () => {
  for (const flow of ingress(byDefault)) await expectFlow({ ...flow, works: callers }, callers)
  for (const flow of egress()) await expectFlow({ ...flow, works: ownPods }, ownPods)
})

describe('the policies of a Facilitator with defaults', () => {
  beforeAll(() => enforce({}))

  test.each(ingress(byDefault))('$to ($port): $works', (flow) => expectFlow(flow, callers))

  test.each(throughServices(byDefault))('$to ($port): $works', (flow) =>
    expectFlow(flow, throughServicesCallers),
  )

  test.each(egress())('to $to ($port): $works', (flow) => expectFlow(flow, ownPods))

  test('keep the pods from the API server', async () => {
    const { hostname, port } = new URL(cluster.server)
    const ends = [{ host: hostname, port: Number(port), greets: false }, apiServer]
    for (const end of ends) {
      expect(await stage.tryAll(ownPods, end)).toEqual(all(ownPods, 'refused'))
      expect(await stage.try('seller', end)).toMatchObject({ kind: 'reached' })
    }
  })
})

describe('the policies of a Facilitator with clients, monitoring and further rules', () => {
  beforeAll(() => enforce(restrictions))

  test.each(ingress(restricted))('$to ($port): $works', (flow) => expectFlow(flow, callers))

  test.each(throughServices(restricted))('$to ($port): $works', (flow) =>
    expectFlow(flow, throughServicesCallers),
  )

  test.each(egress({ anyPort: ownPods }))('to $to ($port): $works', (flow) =>
    expectFlow(flow, ownPods),
  )

  test('an address of clients counts behind a NodePort, where Local keeps it', async () => {
    const through = async (policy: 'Local' | 'Cluster', actor: ActorName) => {
      const port = await stage.nodePort(policy)
      return stage.try(actor, { host: cluster.nodeAddress, port, greets: true })
    }
    expect(await through('Local', 'customer')).toEqual({
      kind: 'reached',
      by: 'facilitator',
      seen: machines.customer,
    })
    expect(await through('Local', 'passerby')).toEqual({ kind: 'refused' })
    // The pod sees an address of the node; a plugin on another node than the client's entry would, too.
    const replaced = await through('Cluster', 'customer')
    expect(replaced).toMatchObject({ kind: 'reached', by: 'facilitator' })
    expect(replaced).not.toMatchObject({ seen: machines.customer })
  })
})

describe('with a plugin whose blocks match neither pods nor nodes', () => {
  beforeAll(async () => {
    await enforcement.leaveOut([cluster.at.podNetwork, `${cluster.nodeAddress}/32`])
    await enforce({})
  })
  afterAll(() => enforcement.leaveOut([]))

  test.each(throughServices(byDefault))('$to ($port): $works', (flow) =>
    expectFlow(flow, throughServicesCallers),
  )

  test.each(egress())('to $to ($port): $works', (flow) => expectFlow(flow, ownPods))

  test('pods reach nothing on a node, which they do with other plugins', async () => {
    const [port] = nodePorts
    const collector = { host: cluster.nodeAddress, port, greets: true }
    expect(await stage.tryAll(ownPods, collector)).toEqual(all(ownPods, 'refused'))
    await enforcement.leaveOut([])
    expect(await stage.tryAll(ownPods, collector)).toEqual({
      ...all(ownPods, 'reached node'),
      migration: 'refused',
    })
  })
})

describe('the policy of the chart', () => {
  const enforceChart = async (values: string) => {
    const { policy } = await renderChart(cluster.kubeconfigPath, values)
    await stage.enforce([policy], pods.operator.namespace)
  }
  const metrics = { to: 'the metrics of the operator', at: 'pod:operator', by: 'operator' }
  const port = 9_090

  test('lets every pod read the metrics, and limits nothing else', async () => {
    await enforceChart('')
    await expectFlow({ ...metrics, port, works: byDefault.monitoring }, callers)
    await expectFlow({ ...metrics, port: 7_070, works: ['node'] }, callers)
    expect(await stage.try('operator', apiServer)).toMatchObject({ kind: 'reached' })
  })

  test('lets only the named namespaces read the metrics', async () => {
    const labels = `{ kubernetes.io/metadata.name: ${pods.prometheus.namespace} }`
    await enforceChart(`networkPolicy: { monitoringNamespaces: ${labels} }`)
    await expectFlow({ ...metrics, port, works: ['prometheus', 'node'] }, callers)
  })

  test('limits the connections of the operator to those of the page', async () => {
    await enforceChart(await egressOfPage({}))
    expect(await operatorReaches()).toEqual(onlyThoseOfPage)
  })

  test('a rule for the Service of the API server, or for the port of that of Postgres, lets nothing through', async () => {
    const values = await egressOfPage({ address: '10.96.0.1', apiPort: '443', storePort: '5432' })
    await enforceChart(values)
    expect(await operatorReaches()).toMatchObject({ 'API server': false, Postgres: false })
  })

  test('limits the connections of the operator to the ports in egressPorts', async () => {
    const apiPort = new URL(cluster.server).port
    await enforceChart(`networkPolicy: { egressPorts: [443, 6432, ${apiPort}] }`)
    expect(await operatorReaches()).toEqual(onlyThoseOfPage)
  })

  /** The example of the page, with the addresses and ports here in place of its own. */
  async function egressOfPage(replaced: {
    readonly address?: string
    readonly apiPort?: string
    readonly storePort?: string
  }): Promise<string> {
    const { hostname, port: ownPort } = new URL(cluster.server)
    const { address = hostname, apiPort = ownPort, storePort = '6432' } = replaced
    const page = readFileSync('docs/network-policies.md', 'utf8')
    const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
    return example
      .replace('192.0.2.10/32', `${address}/32`)
      .replace('port: 6443', `port: ${apiPort}`)
      .replace('port: 5432', `port: ${storePort}`)
      .replace('databases', pods.postgres.namespace)
  }

  async function operatorReaches(): Promise<Readonly<Record<string, boolean>>> {
    const { metadata, office } = machines
    const ends = Object.entries<Target>({
      'API server': apiServer,
      DNS: { host: await hostOf('flows-data/dns'), port: 53, protocol: 'UDP', greets: true },
      Postgres: { host: await hostOf('flows-data/postgres'), port: 5_432, greets: true },
      RPC: { host: office, port: 443, greets: true },
      metadata: { host: metadata, port: 443, greets: true },
      others: { host: office, port: 6_000, greets: true },
    })
    const entries = ends.map(async ([name, target]) => {
      const { kind } = await stage.try('operator', target)
      expect(kind, name).not.toBe('failed')
      return [name, kind === 'reached'] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }
})

/** By its Service; its answer needs TLS. */
/** Connections of the operator under the rules that docs/network-policies.md gives for it. */
const onlyThoseOfPage = {
  'API server': true,
  DNS: true,
  Postgres: true,
  RPC: true,
  metadata: false,
  others: false,
}

const apiServer: Target = { host: '10.96.0.1', port: 443, greets: false }

const all = (actors: readonly ActorName[], outcome: string) =>
  Object.fromEntries(actors.map((actor) => [actor, outcome]))
