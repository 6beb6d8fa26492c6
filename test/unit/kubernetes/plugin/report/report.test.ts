import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Cluster } from '../../../../../src/kubernetes/plugin/cluster/cluster.ts'
import { writeReport } from '../../../../../src/kubernetes/plugin/report/write-report.ts'
import type { KubeClient } from '../../../../../src/kubernetes/runtime/client/client.ts'
import { KubeError } from '../../../../../src/kubernetes/runtime/client/kube-error.ts'
import { leakedFrom } from '../../../../support/kubectl/canaries.ts'

const SEED = `S${'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.repeat(2).slice(3, 58)}`
const API_KEY = 'svc_0hJk-9aZ_q3RtYuIoPLkJhGfDsAzXcVbNm12345'
const DIGEST = 'deadbeef'.repeat(8)
const canaries = {
  env: 'canary in an env value',
  setting: 'canary/setting+1',
  annotation: 'canary-of-an-annotation',
  applied: 'canary-last-applied',
  password: 'canary#pass@word',
  condition: 'canary-condition',
  rpc: 'canaryRpcPath',
  header: 'canary-bearer',
  argument: 'canary-argument',
  seed: SEED,
  key: API_KEY,
  digest: DIGEST,
}

const applied = JSON.stringify({
  spec: {
    podTemplate: {
      spec: {
        containers: [{ name: 'facilitator', env: [{ name: 'X', value: canaries.applied }] }],
      },
    },
  },
})
const metadata = (name: string) => ({
  name,
  namespace: 'shop',
  uid: `uid-${name}`,
  resourceVersion: '1',
  generation: 1,
  labels: { 'x402.svc.dev/facilitator': 'payments', 'app.kubernetes.io/component': 'facilitator' },
  annotations: {
    'kubectl.kubernetes.io/last-applied-configuration': applied,
    'team.example/note': canaries.annotation,
  },
})
const container = {
  name: 'facilitator',
  image: 'registry.example/svc:1',
  args: ['facilitator', `--x=${canaries.argument}`],
  env: [{ name: 'PLAIN', value: canaries.env }],
}
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: metadata('payments-facilitator-1'),
  spec: { containers: [container, { name: 'sidecar', env: container.env }] },
  status: {
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'facilitator', restartCount: 2 }],
  },
}
const facilitator = {
  apiVersion: 'x402.svc.dev/v1beta1',
  kind: 'Facilitator',
  metadata: metadata('payments'),
  spec: {
    networks: [{ channelPool: 'testnet' }],
    podTemplate: { spec: { containers: [container] } },
  },
}
const pool = {
  apiVersion: 'x402.svc.dev/v1beta1',
  kind: 'ChannelPool',
  metadata: metadata('testnet'),
  spec: { network: 'stellar:testnet', rpc: { urls: [`https://rpc.example/v1/${canaries.rpc}`] } },
  status: {
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'StoreUnreachable',
        message: `postgres://svc:${canaries.condition}@db.example/x402 does not answer`,
      },
    ],
  },
}
const log = [
  JSON.stringify({ level: 'info', transaction: 'c0ffee00'.repeat(8), msg: 'Settled' }),
  JSON.stringify({ level: 'error', err: { message: `postgres://svc:${canaries.password}@db/x` } }),
  JSON.stringify({ level: 'warn', headers: { authorization: `Bearer ${canaries.header}` } }),
  `Error: cannot start with ${canaries.env} and ${canaries.setting} and ${canaries.applied}`,
  `in base64: ${Buffer.from(canaries.setting).toString('base64')}, of a URL: ${encodeURIComponent(canaries.env)}`,
  `seed ${SEED}, key ${API_KEY}, digest ${DIGEST}, Authorization: Bearer ${canaries.header}`,
].join('\n')

/** A cluster with canaries everywhere. What is read of Secrets fails the test. */
const read: string[] = []
const client = {
  get: async () => pool,
  list: async ({ plural }: { plural: string }) => {
    read.push(plural)
    if (plural === 'httproutes') {
      throw new KubeError({ kind: 'forbidden', status: 403, message: 'no' })
    }
    const config = {
      kind: 'ConfigMap',
      metadata: metadata('payments-facilitator'),
      data: { LOG_LEVEL: 'info', EXTRA: canaries.setting },
    }
    const items: Readonly<Record<string, readonly object[]>> = {
      pods: [pod],
      configmaps: [config],
      deployments: [{ ...pod, kind: 'Deployment' }],
    }
    return { items: items[plural] ?? [], resourceVersion: '1' }
  },
  read: async () => ({ gitVersion: 'v1.36.3' }),
} as unknown as KubeClient
const cluster: Cluster = {
  client,
  namespace: 'shop',
  server: 'https://cluster.example',
  text: async () => log,
  ask: async ({ path }) => ({
    status: 200,
    body:
      path === '/metrics'
        ? `svc_rpc_requests_total{endpoint="rpc.example"} 7\n# ${SEED}\n`
        : JSON.stringify({
            state: 'degraded',
            warnings: [{ message: `Bearer ${canaries.header}` }],
          }),
  }),
}
const scope = {
  facilitator,
  operatorNamespace: undefined,
  now: 1_790_000_000_000,
  version: '0.1.0',
}

test('a report of a cluster full of secrets has none of them, in no encoding', async () => {
  const { archive, missing, paths } = await writeReport(cluster, scope)
  expect(leakedFrom(archive, Object.values(canaries))).toEqual([])
  expect(read).not.toContain('secrets')

  const text = gunzipSync(archive).toString('utf8')
  for (const useful of [
    'StoreUnreachable',
    'does not answer',
    'c0ffee00'.repeat(8),
    'svc_rpc_requests_total{endpoint="rpc.example"} 7',
    'v1.36.3',
    'PLAIN',
    '"degraded"',
    'payments-facilitator-1',
  ]) {
    expect(text).toContain(useful)
  }
  expect(paths).toContain(
    'svc-report-payments/pods/payments-facilitator-1/facilitator.previous.log',
  )
  expect(paths.filter((path) => path.includes('sidecar'))).toEqual([])
  expect(missing).toEqual([
    {
      path: 'children/httproutes.json',
      why: 'a right is missing: list httproutes.gateway.networking.k8s.io in the namespace shop',
    },
  ])
})

test('a report stays small enough to send, whatever the pods log', async () => {
  const line = `${JSON.stringify({ level: 'info', msg: 'Settled a payment. '.repeat(500) })}\n`
  const long = line.repeat(Math.ceil((3 * 1_024 * 1_024) / line.length))
  const chatty = { ...cluster, text: async () => long }
  const { archive } = await writeReport(chatty, scope)
  expect(archive.length).toBeLessThan(4 * 1_024 * 1_024)
  expect(gunzipSync(archive).length).toBeLessThan(64 * 1_024 * 1_024)
})
