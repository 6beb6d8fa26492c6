import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, inject, test as plain } from 'vitest'
import { toYaml } from '../../../src/kubernetes/crd/definitions/yaml.ts'
import { alertRules } from '../../../src/kubernetes/operator/alerts/alerts.ts'
import { chartPath, renderChart, valueFiles } from '../../../tools/generate/rendered.ts'
import { type OwnedCluster, restricted, startCluster } from '../support/cluster.ts'
import { startHelm } from '../support/helm.ts'
import { prometheusDefinitions } from '../support/prometheus-operator.ts'
import { helm, kubectl } from '../support/tools.ts'

const run = promisify(execFile)
const root = new URL('../../../', import.meta.url).pathname
const name = 'stellar-x402'
const inSystem = ['--namespace', 'x402-system']
const manifests = ['-k', join(root, 'manifests'), '--server-side=false']

/** A separate cluster: definitions are cluster-wide. */
const test = plain.extend<{ own: OwnedCluster; helmPath: string }>({
  own: async ({ skip }, use) => {
    const shared = inject('cluster')
    if (shared.kind !== 'harness') return skip('the definitions of your cluster are left alone')
    await using cluster = await startCluster()
    await use(cluster)
  },
  helmPath: async ({ skip }, use) => {
    const tool = await helm()
    if ('missing' in tool) return skip(`there is no helm: ${tool.missing}`)
    await use(tool.path)
  },
})

let applied: Promise<OwnedCluster> | undefined
/** One cluster for the tests that begin with `kubectl apply -k manifests`. */
const testApplied = test.extend<{ installed: OwnedCluster }>({
  installed: async ({ skip }, use) => {
    if (inject('cluster').kind !== 'harness')
      return skip('the definitions of your cluster are left alone')
    applied ??= startCluster().then(async (cluster) => {
      await applyStrictly(cluster, manifests)
      await makeNamespaces(cluster, 'payments')
      return cluster
    })
    await use(await applied)
  },
})
afterAll(async () => {
  await (await applied)?.[Symbol.asyncDispose]()
})

/** Unknown fields and warnings are errors. */
async function applyStrictly(
  { kubeconfigPath }: OwnedCluster,
  args: readonly string[],
): Promise<void> {
  const tool = await kubectl()
  if ('missing' in tool) throw new Error(tool.missing)
  const env = { ...process.env, KUBECONFIG: kubeconfigPath }
  const strict = ['apply', '--server-side', '--validate=strict', '--warnings-as-errors']
  await run(tool.path, [...strict, ...args], { env })
}

async function applyText(cluster: OwnedCluster, text: string, more: readonly string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-apply-'))
  try {
    await writeFile(join(folder, 'all.yaml'), text)
    await applyStrictly(cluster, ['-f', folder, ...more])
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function makeNamespaces(cluster: OwnedCluster, ...names: readonly string[]): Promise<void> {
  for (const each of names) {
    const body = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: each, labels: restricted },
    }
    const { status } = await cluster.request('POST', '/api/v1/namespaces', { body })
    expect(status).toBe(201)
  }
}

const deployment = async (cluster: OwnedCluster): Promise<unknown> => {
  const path = `/apis/apps/v1/namespaces/x402-system/deployments/${name}`
  return (await cluster.request('GET', path)).body
}

const mayOperator = async (cluster: OwnedCluster, ...what: readonly string[]): Promise<string> => {
  const as = `--as=system:serviceaccount:x402-system:${name}`
  const answer = await cluster
    .kubectl(['auth', 'can-i', as, ...what])
    .catch((error: Error) => error.message)
  return answer.includes('yes') ? 'yes' : 'no'
}

const pool = {
  apiVersion: 'x402.svc.dev/v1beta1',
  kind: 'ChannelPool',
  metadata: { name: 'testnet', namespace: 'default' },
  spec: {
    network: 'stellar:testnet',
    rpc: { urls: ['https://rpc.example'] },
    sponsor: { secretRef: { name: 'sponsor' } },
    database: { secretRef: { name: 'database' } },
    channels: 2,
  },
}

describe('kubectl apply -k manifests', { timeout: 180_000 }, () => {
  testApplied(
    'installs an operator that runs under the restricted standard, without a warning',
    async ({ installed: own }) => {
      const inTime = ['--for=condition=Available', '--timeout=60s']
      await own.kubectl(['wait', ...inSystem, `deployment/${name}`, ...inTime])
      expect(await own.kubectl(['get', ...inSystem, 'pods', '-o', 'name'])).toMatch(
        /^(pod\S+\n){2}$/,
      )

      await applyStrictly(own, manifests)
      expect(await deployment(own)).toMatchObject({ metadata: { generation: 1 } })
      expect(await mayOperator(own, 'patch', 'channelpools', '-n', 'default')).toBe('yes')
      expect(await mayOperator(own, 'patch', 'leases', ...inSystem)).toBe('no')
      expect(await mayOperator(own, 'patch', `leases/${name}`, ...inSystem)).toBe('yes')
      expect(await mayOperator(own, 'delete', 'secrets', '-n', 'default')).toBe('no')
      expect(await mayOperator(own, 'create', 'pods', '-n', 'default')).toBe('no')
    },
  )

  testApplied(
    'is taken over by helm, beside which a second release manages another namespace',
    async ({ installed: own, helmPath: _ }) => {
      await using client = await startHelm(own.kubeconfigPath)
      const wait = [...inSystem, '--wait', '--timeout=90s']
      const takeOver = ['--take-ownership', '--force-conflicts', '--set=watchNamespaces={default}']
      await client.run('upgrade', '--install', name, chartPath, ...wait, ...takeOver)
      const ofRelease = { 'app.kubernetes.io/managed-by': 'Helm' }
      expect(await deployment(own)).toMatchObject({ metadata: { labels: ofRelease } })

      const second = ['--set=watchNamespaces={payments}', '--set=crds.enabled=false']
      await client.run('upgrade', '--install', 'second', chartPath, ...wait, ...second)
      const as = '--as=system:serviceaccount:x402-system:second-stellar-x402'
      const may = (namespace: string) =>
        own.kubectl(['auth', 'can-i', as, 'patch', 'channelpools', '-n', namespace]).catch(String)
      expect(await may('payments')).toMatch(/^yes/)
      expect(await may('default')).toMatch(/no/)
    },
  )
})

describe('helm', { timeout: 240_000 }, () => {
  test('installs, upgrades, rolls back, tests, and leaves every resource behind', async ({
    own,
    helmPath: _,
  }) => {
    await makeNamespaces(own, 'x402-system')
    await using client = await startHelm(own.kubeconfigPath)
    const wait = [...inSystem, '--wait', '--timeout=90s']
    await client.run('install', name, chartPath, ...wait)
    expect(await deployment(own)).toMatchObject({ status: { readyReplicas: 2 } })
    const created = await own.request(
      'POST',
      '/apis/x402.svc.dev/v1beta1/namespaces/default/channelpools',
      { body: pool },
    )
    expect([created.status, created.text]).toEqual([201, expect.anything()])

    await client.run('upgrade', name, chartPath, ...wait, '--set=replicas=3,logLevel=debug')
    expect(await deployment(own)).toMatchObject({ spec: { replicas: 3 } })
    await client.run('rollback', name, '1', ...wait)
    expect(await deployment(own)).toMatchObject({ spec: { replicas: 2 } })
    expect(await client.run('test', name, ...inSystem)).toMatch(/Succeeded/)

    await client.run('uninstall', name, ...wait)
    expect(await deployment(own)).toMatchObject({ reason: 'NotFound' })
    const kept = '/apis/x402.svc.dev/v1beta1/namespaces/default/channelpools/testnet'
    expect(await own.request('GET', kept)).toMatchObject({ status: 200, body: { spec: pool.spec } })
  })

  test('renders only objects that the API server accepts without a warning, with any values', async ({
    own,
    helmPath,
    skip,
  }) => {
    const prometheus = await prometheusDefinitions()
    if ('missing' in prometheus) return skip(prometheus.missing)
    await makeNamespaces(own, 'x402-system', 'payments', 'payments-staging')
    await applyStrictly(
      own,
      prometheus.files.flatMap((file) => ['-f', file]),
    )
    const established = ['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']
    await own.kubectl(established)
    for (const each of valueFiles) {
      const text = await renderChart(helmPath, {
        valueFile: `${chartPath}/ci/${each}`,
        withTests: true,
      })
      await applyText(own, text, ['--dry-run=server'])
    }
    const rules = alertRules({ matchers: { facilitator: 'namespace="a"' } })
    const rule = {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name: 'facilitator', namespace: 'payments' },
      spec: { groups: [{ name: 'facilitator', rules }] },
    }
    await applyText(own, toYaml(rule))

    await using client = await startHelm(own.kubeconfigPath)
    await client.run('install', name, chartPath, ...inSystem, '--set=watchNamespaces={payments}')
    const made = await own.kubectl([
      'get',
      ...inSystem,
      'podmonitors,prometheusrules',
      '-o',
      'name',
    ])
    expect(made.trim().split('\n')).toEqual([
      `podmonitor.monitoring.coreos.com/${name}`,
      `prometheusrule.monitoring.coreos.com/${name}`,
    ])
    expect(await mayOperator(own, 'list', 'secrets', '-n', 'payments')).toBe('yes')
    expect(await mayOperator(own, 'list', 'secrets', '-n', 'default')).toBe('no')
  })
})
