/**
 * A Kubernetes cluster for tests.
 *
 * A test file uses the one that the whole run shares, see cluster-test.ts:
 *
 *   test('it …', async ({ cluster }) => {
 *     await using namespace = await cluster.namespace('pool')
 *     await cluster.kubectl(['apply', '-n', namespace.name, '-f', '-'], { input: yaml })
 *     const { status, body } = await cluster.request('GET', '/api/v1/nodes')
 *   })
 *
 * A test that breaks its cluster starts one of its own (5 s, 700 MB):
 *
 *   await using cluster = await startCluster()
 *
 * Its nodes are simulated and run no container. Labels and annotations on pods and namespaces set the pod
 * status that they report, see docs/cluster-tests.md.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { KubeConfig } from '@kubernetes/client-node'
import { runHarness } from './harness-process.ts'
import { type Answer, type Body, kubeRequester, type RequestOptions } from './kube-request.ts'
import { atHand, type Means } from './means.ts'
import { harness, kubectl } from './tools.ts'

export interface Cluster {
  /** `own` is a cluster given by TEST_KUBECONFIG: it may have real nodes and other users. */
  readonly kind: 'harness' | 'own'
  /** Of a cluster administrator. */
  readonly kubeconfigPath: string
  /** URL of the API server, without a slash at the end. */
  readonly server: string
  /** Sends a request as that user. Resolves whatever the status is. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  /** Creates a namespace, ready for pods. Its disposal starts its deletion. */
  namespace(prefix: string, metadata?: NamespaceMetadata): Promise<TestNamespace>
  /** Runs kubectl; returns its output, or throws an error with it. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>
}

/** A cluster that stops when it is disposed of. */
export interface OwnedCluster extends Cluster, AsyncDisposable {
  readonly kind: 'harness'
  /** Bearer token of the same user. */
  readonly token: string
  /** PEM of the authority that signed the server's certificate. */
  readonly caFile: string
  /** One log for each component. */
  readonly logFolder: string
  readonly readyAfterMs: number
  /** The cluster stops when this process ends. */
  readonly pid: number
}

interface TestNamespace extends AsyncDisposable {
  readonly name: string
}

interface NamespaceMetadata {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

interface KubectlOptions {
  /** Standard input. */
  readonly input?: string
  /** @default the cluster's own user */
  readonly kubeconfigPath?: string
}

/** Labels of a namespace that enforces the restricted pod security standard. */
export const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' } as const

const SERVICE_ACCOUNT_TIMEOUT_MS = 30_000
const POLL_INTERVAL_MS = 25

/** @throws Error with the reason when the harness is not available, or with the end of a log */
export async function startCluster(means: Means = atHand): Promise<OwnedCluster> {
  const tool = await harness(means)
  if ('missing' in tool) throw new Error(`there is no test cluster: ${tool.missing}`)
  const running = await runHarness(tool.path)
  const { kubeconfig, token, caFile, dir, readyAfterMs } = running.ready
  return {
    ...(await connectCluster(kubeconfig)),
    kind: 'harness',
    token,
    caFile,
    logFolder: `${dir}/logs`,
    readyAfterMs,
    pid: running.pid,
    [Symbol.asyncDispose]: running.stop,
  }
}

/** Connects to a running cluster. */
export async function connectCluster(
  kubeconfigPath: string,
  kind: Cluster['kind'] = 'harness',
): Promise<Cluster> {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfigPath)
  const server = config.getCurrentCluster()?.server
  if (server === undefined) throw new Error(`${kubeconfigPath} names no current cluster`)
  const request = await kubeRequester(config)
  return {
    kind,
    kubeconfigPath,
    server,
    request,
    namespace: (prefix, metadata = {}) => createNamespace(request, prefix, metadata),
    kubectl: (args, options = {}) => runKubectl(args, { kubeconfigPath, ...options }),
  }
}

async function createNamespace(
  request: Cluster['request'],
  prefix: string,
  metadata: NamespaceMetadata,
): Promise<TestNamespace> {
  const name = `${prefix}-${randomBytes(4).toString('hex')}`
  const body: Body = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { ...metadata, name },
  }
  const created = await request('POST', '/api/v1/namespaces', { body })
  if (created.status !== 201) throw new Error(`no namespace ${name}: ${created.text}`)
  // Without a service account the API server refuses every pod.
  const account = `/api/v1/namespaces/${name}/serviceaccounts/default`
  const deadline = performance.now() + SERVICE_ACCOUNT_TIMEOUT_MS
  while ((await request('GET', account)).status !== 200) {
    if (performance.now() > deadline) throw new Error(`no service account in ${name}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS))
  }
  return {
    name,
    [Symbol.asyncDispose]: async () => {
      await request('DELETE', `/api/v1/namespaces/${name}`)
    },
  }
}

async function runKubectl(
  args: readonly string[],
  { input = '', kubeconfigPath }: KubectlOptions,
): Promise<string> {
  const tool = await kubectl()
  if ('missing' in tool) throw new Error(`there is no kubectl: ${tool.missing}`)
  const env = { ...process.env, KUBECONFIG: kubeconfigPath }
  return new Promise((resolve, reject) => {
    const limits = { env, maxBuffer: 64 * 1024 * 1024 }
    const running = execFile(tool.path, [...args], limits, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout)
      reject(new Error(`kubectl ${args.join(' ')}: ${stderr || stdout || error.message}`))
    })
    running.stdin?.end(input)
  })
}
