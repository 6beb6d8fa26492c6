/**
 * Real processes, real metrics, real rules: the operator on a real API server with the chart's and its own monitors and
 * rules, the containers of a Facilitator's pods as processes of this machine, a Postgres and a ledger that a test can
 * stop, and a Prometheus with the configuration that the Prometheus operator generates.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { API_VERSION } from '../../../src/kubernetes/crd/names/group.ts'
import { uptoContract } from '../../../src/localnet/genesis/upto-contract.ts'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { openStore } from '../../../src/platform/database/open.ts'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { chartPath } from '../../../tools/generate/rendered.ts'
import { type ApiProxy, startApiProxy } from '../../cluster/support/api-proxy.ts'
import { type Cluster, startCluster } from '../../cluster/support/cluster.ts'
import { startHelm } from '../../cluster/support/helm.ts'
import { made } from '../../cluster/support/means.ts'
import { prometheusDefinitions } from '../../cluster/support/prometheus-operator.ts'
import { facilitatorManifest, type Json, poolManifest } from '../../support/api/manifests.ts'
import { type CrashPostgres, startCrashPostgres } from '../../support/crash-postgres.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { type HostPod, openHostPod } from './host-pod.ts'
import { type KeptOperator, keepOperator } from './kept-operator.ts'

const NAMESPACE = 'shop'
const SYSTEM = 'x402-system'
const RELEASE = 'stellar-x402'
const XLM = 10_000_000n
const SPONSOR_XLM = 200n
export const contract = uptoContract(passphrases['stellar:testnet'])
/** More than the steady payments need. */
export const CHANNELS = 8
/** What the RPC keeps, a ledger a second. */
const RETAINED_LEDGERS = 90
/** Longer than a machine that is busy with other work needs. */
const patience = { timeout: 240_000, interval: 200 }

export interface AlertWorld extends AsyncDisposable {
  readonly cluster: Cluster
  readonly localnet: LocalnetServer
  /** Between the pods and the ledger; the operator has one of its own. */
  readonly rpc: RpcProxy
  readonly operatorRpc: RpcProxy
  readonly postgres: CrashPostgres
  /** Between the operator and the API server. */
  readonly api: ApiProxy
  readonly sponsor: { readonly address: string; readonly secret: string }
  readonly facilitator: HostPod
  readonly catalog: HostPod
  readonly explorer: HostPod
  readonly operator: KeptOperator
  apply(...objects: readonly object[]): Promise<void>
  kubectl(...args: readonly string[]): Promise<string>
  condition(kind: string, name: string, type: string): Promise<Json>
}

/** The objects of the world: one pool, one Facilitator with every part. */
export async function openAlertWorld(adminPort: number): Promise<AlertWorld> {
  await using opened = new AsyncDisposableStack()
  const cluster = opened.use(await startCluster(made))
  const folder = await mkdtemp(join(tmpdir(), 'svc-alerts-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const [postgres, localnet] = await Promise.all([
    startCrashPostgres(),
    startLocalnetServer({ closeEveryMs: 1_000, retainLedgers: RETAINED_LEDGERS }),
    install(cluster),
  ])
  opened.use(postgres)
  opened.use(localnet)
  const rpc = opened.use(await startRpcProxy())
  const operatorRpc = opened.use(await startRpcProxy())
  rpc.forwardTo(localnet.httpUrl)
  operatorRpc.forwardTo(localnet.httpUrl)
  const api = opened.use(await startApiProxy(cluster.kubeconfigPath))
  const seed = randomBytes(32)
  const sponsor = { address: signerFromSeed(seed).address, secret: secretOfSeed(seed) }
  await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: SPONSOR_XLM * XLM })
  await vi.waitFor(() => migrate(postgres.url), patience)

  const operator = opened.use(keepOperator(api.kubeconfigPath, operatorEnvironment(adminPort)))
  const { apply, kubectl, condition } = toolsOf(cluster)
  await cluster.kubectl(['create', 'namespace', NAMESPACE])
  await apply(
    secret('testnet-sponsor', { secret: sponsor.secret }),
    secret('x402-database', { url: postgres.url }),
    poolManifest({
      rpc: { urls: [operatorRpc.url] },
      channels: CHANNELS,
      minSponsorBalanceXlm: '25',
    }),
    facilitatorManifest({
      replicas: 1,
      catalog: { enabled: true, replicas: 1 },
      explorer: { enabled: true, replicas: 1 },
      networks: [
        {
          channelPool: 'testnet',
          sponsor: { spendXlmPerHour: '100' },
          upto: { contract, keeper: { autoRestore: false } },
        },
      ],
    }),
  )
  await operator.start()
  await vi.waitFor(async () => {
    expect(await condition('facilitators', 'payments', 'Ready')).toMatchObject({ status: 'True' })
  }, patience)
  const pod = async (component: string) => {
    const deployment = `payments-${component}`
    const changes = { TESTNET_RPC_URL: rpc.url }
    return opened.use(await openHostPod({ cluster, namespace: NAMESPACE, deployment, changes }))
  }
  const [facilitator, catalog, explorer] = [
    await pod('facilitator'),
    await pod('catalog'),
    await pod('explorer'),
  ]
  await Promise.all([facilitator, catalog, explorer].map((each) => each.start()))
  const resources = opened.move()
  return {
    ...{ cluster, localnet, rpc, operatorRpc, postgres, api, sponsor, operator },
    ...{ facilitator, catalog, explorer, apply, kubectl, condition },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The definitions of the Prometheus operator first: the chart then creates its monitor and its rule. */
async function install(cluster: Cluster & { readonly kubeconfigPath: string }): Promise<void> {
  const definitions = await prometheusDefinitions()
  if ('missing' in definitions) throw new Error(definitions.missing)
  const files = definitions.files.flatMap((file) => ['-f', file])
  await cluster.kubectl(['apply', '--server-side', ...files])
  await cluster.kubectl([
    'wait',
    '--for=condition=Established',
    '--timeout=60s',
    ...['podmonitors', 'servicemonitors', 'prometheusrules'].map(
      (plural) => `crd/${plural}.monitoring.coreos.com`,
    ),
  ])
  await using client = await startHelm(cluster.kubeconfigPath)
  const to = ['--namespace', SYSTEM, '--create-namespace', '--wait', '--timeout=120s']
  // One pod for the one process.
  await client.run('install', RELEASE, chartPath, ...to, '--set=replicas=1')
}

const operatorEnvironment = (adminPort: number) => ({
  POD_NAMESPACE: SYSTEM,
  POD_NAME: `${RELEASE}-host`,
  LEASE_NAME: RELEASE,
  ADMIN_PORT: String(adminPort),
  FACILITATOR_IMAGE: 'registry.example/stellar-x402:0.1.0',
  RESYNC_SECONDS: '3',
})

const secret = (name: string, stringData: Readonly<Record<string, string>>): Json => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { 'x402.svc.dev/watch': 'true' } },
  stringData,
})

async function migrate(url: string): Promise<void> {
  await using store = await openStore({ kind: 'postgres', url, poolSize: 1 })
  await store.migrate()
}

function toolsOf(cluster: Cluster) {
  const kubectl = (...args: readonly string[]) => cluster.kubectl(['-n', NAMESPACE, ...args])
  return {
    kubectl,
    apply: async (...objects: readonly object[]) => {
      const input = objects.map((each) => JSON.stringify(each)).join('\n')
      const args = ['-n', NAMESPACE, 'apply', '--server-side', '--force-conflicts', '-f', '-']
      await cluster.kubectl(args, { input })
    },
    condition: async (kind: string, name: string, type: string): Promise<Json> => {
      const path = `/apis/${API_VERSION}/namespaces/${NAMESPACE}/${kind}/${name}`
      const { status } = Object((await cluster.request('GET', path)).body)
      return status?.conditions?.find((each: Json) => each['type'] === type) ?? {}
    },
  }
}
