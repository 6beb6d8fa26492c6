/**
 * A Prometheus with the configuration that the Prometheus operator generates finds every pod of the operator and of a
 * Facilitator. It runs in the network of a pod, so the policies hold for it as for the Prometheus of a cluster.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { prometheusDefinitions } from '../../cluster/support/prometheus-operator.ts'
import { prometheus as prometheusTool } from '../../cluster/support/tools.ts'
import { withDiscovered } from '../../e2e-alerts/support/discovered.ts'
import { type Prometheus, runPrometheus } from '../../e2e-alerts/support/prometheus.ts'
import {
  type Generated,
  generateScrapeConfig,
  scrapeConfigTool,
} from '../../e2e-alerts/support/scrape-config.ts'
import { connectEnforcer } from '../support/policy/start-enforcer.ts'
import { openWorld, type World } from '../support/world.ts'
import { names, places } from '../support/world-places.ts'
import { openPodNetwork } from './pod-network.ts'

const soon = { timeout: 120_000, interval: 500 }
const jobs = [
  `podMonitor/${places.shop}/${names.facilitator}-pods/0`,
  `podMonitor/${places.operator}/${names.release}/0`,
]
const opened = new AsyncDisposableStack()
const NAMED = 'monitoring'
const ELSEWHERE = 'elsewhere'
let world: World
let generated: Generated

beforeAll(async () => {
  world = await openWorld(inject('world'))
  await installMonitoring()
  await vi.waitFor(async () => {
    generated = await generate()
    expect(generated.jobs.map(({ job_name: job }) => job).toSorted()).toEqual(jobs)
  }, soon)
}, 300_000)

afterAll(async () => {
  await opened.disposeAsync()
  await world.shell.type(
    `kubectl delete namespace ${NAMED} ${ELSEWHERE} --ignore-not-found --wait=false`,
  )
  await world.ready()
})

/** As an administrator does who installs the Prometheus operator after ours. */
async function installMonitoring(): Promise<void> {
  const definitions = await prometheusDefinitions()
  if ('missing' in definitions) throw new Error(definitions.missing)
  const files = definitions.files.map((file) => `-f ${file}`).join(' ')
  const upgrade = `helm upgrade ${names.release} charts/stellar-x402 --namespace ${places.operator}`
  await world.shell.type(`
    kubectl apply --server-side ${files}
    kubectl wait --for=condition=Established --timeout=60s crd/podmonitors.monitoring.coreos.com
    ${upgrade} --reset-then-reuse-values --wait --timeout=120s
  `)
}

async function generate(): Promise<Generated> {
  const tool = await scrapeConfigTool()
  if ('missing' in tool) throw new Error(tool.missing)
  const folder = await mkdtemp(join(tmpdir(), 'svc-scrape-config-'))
  const { kubeconfigPath } = world.cluster
  try {
    const all = await generateScrapeConfig({ tool: tool.path, kubeconfigPath, folder })
    // Shops of other tests come and go.
    const isAsked = ({ job_name: name }: (typeof all.jobs)[number]) =>
      [places.shop, places.operator].some((each) => name.startsWith(`podMonitor/${each}/`))
    return { ...all, jobs: all.jobs.filter(isAsked) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** In the network of a pod of that namespace. */
async function prometheusIn(namespace: string): Promise<Prometheus> {
  const tool = await prometheusTool()
  if ('missing' in tool) throw new Error(tool.missing)
  const network = await openPodNetwork(world, namespace, 'prometheus')
  const jobs = await withDiscovered(world.cluster, generated.jobs, 'of the pods')
  return runPrometheus({ path: tool.path, jobs, network })
}

const podsOf = async (namespace: string, selector: string): Promise<readonly string[]> => {
  const query = `labelSelector=${encodeURIComponent(selector)}`
  const path = `/api/v1/namespaces/${namespace}/pods?${query}`
  const { body } = await world.cluster.request('GET', path)
  const pods: { metadata: { name: string }; status: { phase: string } }[] = Object(body)['items']
  return pods
    .filter(({ status }) => status.phase === 'Running')
    .map(({ metadata }) => metadata.name)
    .toSorted()
}

/** Targets of the shop by their state, as one Prometheus sees them. */
async function stateOfShop(prometheus: Prometheus): Promise<readonly string[]> {
  const targets = await prometheus.targets()
  const ofShop = targets.filter(({ labels }) => labels['namespace'] === places.shop)
  return [...new Set(ofShop.map(({ health }) => health))]
}

/** Sets who may read the metrics, and waits until the network plugin has the policies of that. */
async function limitMonitoring(monitoring: readonly object[] | null): Promise<void> {
  const patch = JSON.stringify({ spec: { networkPolicy: { monitoring } } })
  const kubectl = `kubectl -n ${places.shop}`
  await world.shell.type(
    `${kubectl} patch facilitator ${names.facilitator} --type=merge -p '${patch}'`,
  )
  await world.ready()
  const path = `/apis/networking.k8s.io/v1/namespaces/${places.shop}/networkpolicies`
  const { body } = await world.cluster.request('GET', path)
  const policies: { metadata: { name: string; resourceVersion: string } }[] = Object(body)['items']
  await connectEnforcer(world.cluster.at).holds(
    Object.fromEntries(
      policies.map(({ metadata }) => [`${places.shop}/${metadata.name}`, metadata.resourceVersion]),
    ),
  )
}

describe('a Prometheus in the namespace monitoring', () => {
  let prometheus: Prometheus
  beforeAll(async () => {
    prometheus = opened.use(await prometheusIn(NAMED))
  }, 200_000)

  test('has every pod as a target that is up, with the labels of the documents', async () => {
    const expected = [
      ...(await podsOf(places.shop, `x402.svc.dev/facilitator=${names.facilitator}`)),
      ...(await podsOf(places.operator, 'app.kubernetes.io/component=operator')),
    ].toSorted()
    await vi.waitFor(async () => {
      const targets = await prometheus.targets()
      expect(targets.map(({ labels }) => labels['pod']).toSorted()).toEqual(expected)
      expect(targets.filter(({ health }) => health !== 'up')).toEqual([])
    }, soon)
    const ofShop = (await prometheus.targets()).filter(
      ({ labels }) => labels['namespace'] === places.shop,
    )
    for (const { labels } of ofShop) {
      expect(labels).toMatchObject({
        facilitator: names.facilitator,
        x402_svc_dev_facilitator: names.facilitator,
        endpoint: 'admin',
        job: `${places.shop}/${names.facilitator}-pods`,
        container: expect.stringMatching(/^(facilitator|catalog|explorer)$/),
      })
    }
    await vi.waitFor(async () => {
      const usable = await prometheus.query('svc_channels_usable')
      for (const { metric } of usable)
        expect(metric).toMatchObject({ channelpool: names.pool, namespace: places.shop })
      expect(usable).not.toEqual([])
      const leaders = 'sum by (namespace, job) (svc_controller_leader)'
      expect(await prometheus.query(leaders)).toEqual([
        {
          metric: { namespace: places.operator, job: `${places.operator}/${names.release}` },
          value: 1,
        },
      ])
    }, soon)
  })

  test('alone reads the metrics while networkPolicy.monitoring names its namespace', async () => {
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': NAMED } }
    await limitMonitoring([{ namespaceSelector }])
    // Policies judge new connections, and a Prometheus keeps those that it has: both begin now.
    const [named, elsewhere] = [await prometheusIn(NAMED), await prometheusIn(ELSEWHERE)]
    opened.use(named)
    opened.use(elsewhere)
    const become = (wanted: Readonly<Record<'named' | 'elsewhere', readonly string[]>>) =>
      vi.waitFor(async () => {
        const states = await Promise.all([named, elsewhere].map(stateOfShop))
        expect({ named: states[0], elsewhere: states[1] }).toEqual(wanted)
      }, soon)

    await become({ named: ['up'], elsewhere: ['down'] })
    const refused = (await elsewhere.targets()).filter(({ health }) => health === 'down')
    expect(refused.map(({ lastError }) => lastError)).toEqual(
      refused.map(() => expect.stringContaining('no route to host')),
    )
    await limitMonitoring(null)
    await become({ named: ['up'], elsewhere: ['up'] })
  })
})
