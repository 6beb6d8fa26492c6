/** An operator with the roles that the chart makes for one team, and for many: what it may do, and what leaves the cluster. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import { expect, vi } from 'vitest'
import { documents, renderChart } from '../../../tools/generate/rendered.ts'
import { facilitatorManifest, type Json } from '../../support/api/manifests.ts'
import { leaksIn } from '../../support/secret-forms.ts'
import {
  condition,
  isReady,
  openPoolWorld,
  type PoolWorld,
} from '../kubernetes/operator/channel-pool/pool-world.ts'
import type { OperatorProcess } from '../kubernetes/operator/operator-process.ts'
import { runKube } from '../kubernetes/plugin/run-kube.ts'
import { startApiProxy } from '../support/api-proxy.ts'
import type { Cluster } from '../support/cluster.ts'
import { test as clusterTest } from '../support/cluster-test.ts'
import { helm } from '../support/tools.ts'

const patience = { timeout: 240_000, interval: 200 }

const test = clusterTest.extend<{ helmPath: string }>({
  helmPath: async ({ skip }, use) => {
    const tool = await helm()
    if ('missing' in tool) return skip(`there is no helm: ${tool.missing}`)
    await use(tool.path)
  },
})

/** Applies what the chart has besides the Deployment; returns a token of its ServiceAccount. */
async function install(
  cluster: Cluster,
  helmPath: string,
  namespace: string,
  settings: readonly string[],
): Promise<string> {
  // Names of objects of the cluster have to be its own.
  const all = [...settings, `fullnameOverride=${namespace}`, 'crds.enabled=false']
  const text = await renderChart(helmPath, {
    namespace,
    settings: [...all, 'rbac.aggregate=false'],
  })
  const kinds = [
    'ServiceAccount',
    'Role',
    'RoleBinding',
    'ClusterRole',
    'ClusterRoleBinding',
    'Secret',
  ]
  const objects = documents(text)
    .flatMap((each) => loadAll(each) as { kind: string }[])
    .filter(({ kind }) => kinds.includes(kind))
  const list = { apiVersion: 'v1', kind: 'List', items: objects }
  await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(list) })
  return (await cluster.kubectl(['create', 'token', namespace, '-n', namespace])).trim()
}

const environmentOf = (namespace: string) => ({
  POD_NAMESPACE: namespace,
  LEASE_NAME: namespace,
  DIGEST_KEY_SECRET: `${namespace}-digest-key`,
  FACILITATOR_IMAGE: 'registry.example/stellar-x402:1.0.0',
  LOG_LEVEL: 'trace',
})

/** Every part, and every kind of Secret that a spec can name. */
const spec: Json = {
  replicas: 1,
  logLevel: 'Trace',
  networks: [{ channelPool: 'testnet', access: 'ApiKeys' }],
  apiKeys: { digestsSecretRef: { name: 'keys' } },
  catalog: {
    enabled: true,
    replicas: 1,
    embeddings: {
      url: 'https://embeddings.example',
      model: 'small',
      secretRef: { name: 'embeddings' },
    },
  },
  explorer: {
    enabled: true,
    replicas: 1,
    databaseReplicaSecretRef: { name: 'x402-database', key: 'replica' },
  },
}

const rpcSecret = (world: PoolWorld, key: string) => {
  const { host } = new URL(world.localnet.httpUrl)
  return {
    urls: `http://provider:${key}-password@${host}/?api_key=${key}-in-a-query`,
    headers: `http://${host} X-Api-Key: ${key}-in-a-header`,
  }
}

interface Template {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> }
}

async function templates({ cluster, namespace }: PoolWorld): Promise<Record<string, Template>> {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const { items } = Object((await cluster.request('GET', path)).body)
  return Object.fromEntries(
    items.map(({ metadata, spec: { template } }: Json & { metadata: Json; spec: Json }) => [
      metadata['name'],
      template,
    ]),
  )
}

const secretHashes = async (world: PoolWorld) =>
  Object.values(await templates(world)).map(
    ({ metadata }) => metadata.annotations['x402.svc.dev/secret-hash'],
  )

async function isServing({ cluster, namespace }: PoolWorld): Promise<void> {
  const path = `/apis/x402.svc.dev/v1beta1/namespaces/${namespace}/facilitators/payments`
  await vi.waitFor(async () => {
    const { metadata, status } = Object((await cluster.request('GET', path)).body)
    const conditions: readonly Json[] = status?.conditions ?? []
    const found = (type: string) => conditions.find((each) => each['type'] === type)
    expect(found('Ready'), JSON.stringify(conditions)).toMatchObject({ reason: 'Serving' })
    expect(found('Progressing')).toMatchObject({ status: 'False' })
    expect(status.observedGeneration).toBe(metadata.generation)
  }, patience)
}

const publicKinds = [
  ...['facilitators', 'channelpools', 'deployments', 'replicasets', 'pods', 'jobs', 'services'],
  ...['configmaps', 'serviceaccounts', 'networkpolicies', 'poddisruptionbudgets', 'endpointslices'],
  ...['horizontalpodautoscalers', 'ingresses', 'leases', 'events', 'events.events.k8s.io'],
]

/** Everything but Secrets: objects, events, logs, metrics, and the report. */
async function publicTexts(
  { cluster, namespace }: PoolWorld,
  { lines, adminUrl }: OperatorProcess,
): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-least-'))
  try {
    const file = join(folder, 'report.tar.gz')
    const at = ['--kubeconfig', cluster.kubeconfigPath, '-n', namespace]
    const status = await runKube('status', 'payments', ...at)
    const written = await runKube('report', 'payments', '-o', file, ...at)
    expect(written, written.err).toMatchObject({ code: 0 })
    return {
      objects: await cluster.kubectl([
        ...['get', publicKinds.join(','), '-n', namespace, '-o', 'json', '--show-managed-fields'],
      ]),
      log: lines.map((line) => JSON.stringify(line)).join('\n'),
      metrics: await (await fetch(new URL('/metrics', await adminUrl))).text(),
      status: status.out,
      report: execFileSync('tar', ['-xzOf', file], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('N3, N4: an operator with roles in one namespace serves a team, and nothing that leaves the cluster says what a Secret holds', {
  timeout: 300_000,
}, async ({ fakeNodes: cluster, helmPath }) => {
  await using world = await openPoolWorld(cluster)
  const { namespace } = world
  const token = await install(cluster, helmPath, namespace, [`watchNamespaces={${namespace}}`])
  const secrets: Record<string, Readonly<Record<string, string>>> = {
    'x402-database': {
      url: `${world.databaseUrl}?application_name=database-canary`,
      replica: `${world.databaseUrl}?application_name=replica-canary`,
    },
    keys: { sha256: 'ab'.repeat(32) },
    embeddings: { apiKey: 'embeddings-canary' },
    'rpc-provider': rpcSecret(world, 'first'),
  }
  for (const [name, data] of Object.entries(secrets)) await world.secret(name, data)
  await using proxy = await startApiProxy(cluster.kubeconfigPath)
  const kubeconfig = await proxy.kubeconfigFor(token)
  const rpc = {
    secretRef: { name: 'rpc-provider' },
    headersSecretRef: { name: 'rpc-provider' },
    allowHttp: true,
  }
  await world.apply({ channels: 2, rpc })
  const created = await cluster.request(
    'POST',
    `/apis/x402.svc.dev/v1beta1/namespaces/${namespace}/facilitators`,
    { body: { ...facilitatorManifest(spec) } },
  )
  expect(created.status, created.text).toBe(201)

  const seen: Record<string, string> = {}
  const note = async (when: string, operator: OperatorProcess) => {
    for (const [what, text] of Object.entries(await publicTexts(world, operator))) {
      seen[`${when}: ${what}`] = text
    }
  }
  const operate = () => world.operate(environmentOf(namespace), kubeconfig)
  let before: Awaited<ReturnType<typeof templates>>
  {
    await using operator = operate()
    await world.until(isReady)
    await isServing(world)
    await note('at first', operator)
    before = await templates(world)
    operator.kill('SIGTERM')
    await operator.exited
  }

  // Another leader, with the same key: no pod is replaced.
  await using operator = operate()
  const path = `/apis/x402.svc.dev/v1beta1/namespaces/${namespace}/facilitators/payments`
  await cluster.request('PATCH', path, {
    body: { spec: { networkPolicy: { extraEgress: [{ ports: [{ port: 4317 }] }] } } },
    contentType: 'application/merge-patch+json',
  })
  await vi.waitFor(async () => {
    const { metadata, status } = Object((await cluster.request('GET', path)).body)
    expect(status.observedGeneration).toBe(metadata.generation)
  }, patience)
  expect(await templates(world)).toEqual(before)

  // Another key of the provider replaces the pods of every part.
  const hashes = await secretHashes(world)
  expect(new Set(hashes).size).toBe(3)
  await world.secret('rpc-provider', rpcSecret(world, 'second'))
  await vi.waitFor(async () => {
    const now = await secretHashes(world)
    expect(now.filter((hash) => hashes.includes(hash))).toEqual([])
  }, patience)
  await isServing(world)
  await note('after a rotation', operator)

  // Failures name no secret either.
  const gone = 'http://user:hunter2hunter2@127.0.0.1:1/hunter2path?key=hunter2query'
  await world.secret('rpc-provider', { ...rpcSecret(world, 'third'), urls: gone })
  await world.until((pool) =>
    expect(condition(pool, 'Ready')).toMatchObject({ reason: 'RpcSecretInvalid' }),
  )
  const headers = 'http://127.0.0.1:1 X-Api-Key: hunter2header'
  await world.secret('rpc-provider', { urls: gone, headers })
  await world.until((pool) =>
    expect(condition(pool, 'Ready')).toMatchObject({ reason: 'RpcUnreachable' }),
  )
  await world.secret('x402-database', {
    url: 'postgres://svc:hunter2db@127.0.0.1:1/x402?sslkey=/k',
  })
  await world.until((pool) =>
    expect(condition(pool, 'Ready')).toMatchObject({ reason: 'DatabaseSecretInvalid' }),
  )
  await note('after failures', operator)

  const values: Record<string, string> = {
    sponsor: world.sponsor.secret,
    'database password': new URL(world.databaseUrl).password || 'there is none',
    gone,
    ...Object.fromEntries(
      ['hunter2hunter2', 'hunter2path', 'hunter2query', 'hunter2header', 'hunter2db'].map(
        (value) => [value, value],
      ),
    ),
  }
  for (const [name, data] of Object.entries(secrets)) {
    for (const [key, value] of Object.entries(data)) values[`${name}/${key}`] = value
  }
  for (const round of ['first', 'second']) {
    const { urls, headers: lines } = rpcSecret(world, round)
    Object.assign(values, { [`${round} urls`]: urls, [`${round} headers`]: lines })
    for (const part of ['password', 'in-a-query', 'in-a-header']) {
      values[`${round} ${part}`] = `${round}-${part}`
    }
  }
  const files = [
    ...['database-url', 'explorer-database-url', 'testnet-sponsor-secret', 'embeddings-api-key'],
    ...['testnet-rpc-url', 'testnet-rpc-headers', 'url', 'urls', 'headers', 'sha256', 'apiKey'],
  ]
  const leaks = Object.entries(seen).flatMap(([where, text]) => {
    expect(text.length, where).toBeGreaterThan(50)
    return leaksIn(text, values, files).map((leak) => `${where} has ${leak}`)
  })
  expect(leaks).toEqual([])

  expect(
    proxy.calls.filter(({ status }) => status === 403).map(({ verb, path: at }) => `${verb} ${at}`),
  ).toEqual([])
  const may = (...what: readonly string[]) =>
    cluster
      .kubectl(['auth', 'can-i', ...what, `--as=system:serviceaccount:${namespace}:${namespace}`])
      .catch((error: unknown) => String(error))
  expect(await may('get', 'secrets', '-n', namespace)).toBe('yes\n')
  expect(await may('get', 'secrets', '-n', 'default')).toContain('no')
  expect(await may('list', 'facilitators.x402.svc.dev', '--all-namespaces')).toContain('no')
})

test('an operator of many teams reads the Secrets of those that the chart lists, and no others', {
  timeout: 240_000,
}, async ({ fakeNodes: cluster, helmPath }) => {
  await using listed = await openPoolWorld(cluster)
  await using other = await openPoolWorld(cluster)
  const { namespace } = listed
  const token = await install(cluster, helmPath, namespace, [`secrets.namespaces={${namespace}}`])
  try {
    await using proxy = await startApiProxy(cluster.kubeconfigPath)
    await using _operator = listed.operate(
      {
        ...environmentOf(namespace),
        WATCH_NAMESPACES: `${namespace},${other.namespace}`,
        SECRETS_NAMESPACES: namespace,
      },
      await proxy.kubeconfigFor(token),
    )
    await listed.apply({ channels: 1 })
    await other.apply({ channels: 1 })
    await listed.until(isReady)
    await other.until((pool) =>
      expect(condition(pool, 'Degraded')).toMatchObject({
        reason: 'Forbidden',
        message: expect.stringContaining(other.namespace),
      }),
    )
    const refused = proxy.calls.filter(({ status }) => status === 403)
    expect(new Set(refused.map(({ verb, resource }) => `${verb} ${resource}`))).toEqual(
      new Set(['get secrets']),
    )
  } finally {
    await cluster.kubectl(['delete', 'clusterrole,clusterrolebinding', `${namespace}-operator`])
  }
})
