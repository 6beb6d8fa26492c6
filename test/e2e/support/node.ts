/**
 * A cluster whose two nodes run containers. It lives in namespaces of its own that `make e2e` enters before the
 * tests, so the test process is on the nodes: it reaches the addresses of pods and Services.
 *
 *   const cluster = await startNodes({ images: ['dist/stellar-x402.tar'] })     // once in a run
 *   const cluster = await connectNodes(inject('nodes'))                       // in a test
 *
 * The nodes end with the world. See docs/e2e.md.
 */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { type Cluster, connectCluster } from '../../cluster/support/cluster.ts'
import { runHarness } from '../../cluster/support/harness-process.ts'
import { harness } from '../../cluster/support/tools.ts'
import {
  kubeProxySettings,
  NODE_ADDRESS,
  type NodePlan,
  networkFile,
  POD_NETWORK,
} from './node-config.ts'
import { startDns } from './node-dns.ts'
import { output, type Running, startProgram, until } from './node-process.ts'
import { importInto, startContainerd, startKubelet } from './node-start.ts'
import { nodeTools } from './node-tools.ts'
import { currentWorld } from './node-world.ts'
import { writePauseImage } from './pause-image.ts'

/** What another process needs to use the nodes; plain data. */
export interface NodesAt {
  readonly kubeconfigPath: string
  /** Data of the world; removed after the run. */
  readonly folder: string
  /** The network plugins. Plugins can be added, since it belongs to the world. */
  readonly cniPlugins: string
  /** The lists of network plugins, one a node. */
  readonly networkFiles: readonly string[]
  /** The network of all pods. */
  readonly podNetwork: string
  readonly logFolder: string
  readonly nodes: readonly { readonly name: string; readonly socket: string }[]
}

export interface RealCluster extends Cluster {
  readonly at: NodesAt
  /** The names of the nodes: n1 and n2. */
  readonly nodes: readonly string[]
  /** The address of both nodes: NodePorts and pods of the host's network answer there. */
  readonly nodeAddress: string
  /** Brings an archive of images to every node. Pods use it with the pull policy IfNotPresent. */
  importImage(archive: string): Promise<void>
  /** The log of a component: n1-kubelet, n2-containerd, kube-proxy, dns, kube-apiserver. */
  nodeLogs(component: string): Promise<string>
  /**
   * Runs a program on a machine outside of the cluster, which reaches the nodes' address and the pods' addresses,
   * and returns its output.
   */
  outside(program: string, ...args: readonly string[]): Promise<string>
}

const NODES = ['n1', 'n2'] as const

/**
 * @param images archives for every node
 * @throws Error with the end of a log
 */
export async function startNodes({
  images,
}: {
  readonly images: readonly string[]
}): Promise<RealCluster> {
  const world = currentWorld()
  const [control, tools] = [await harness(), await nodeTools()]
  if ('missing' in control) throw new Error(control.missing)
  if ('missing' in tools) throw new Error(tools.missing)
  const logFolder = `${world.folder}/logs`
  await mkdir(logFolder, { recursive: true })
  const cniPlugins = await ownFolder(world.cniPlugins, `${world.folder}/cni-plugins`)
  const pause = await writePauseImage(world.folder, tools.pause)

  const plans = NODES.map(
    (name, index): NodePlan => ({
      name,
      number: index + 1,
      folder: `${world.folder}/${name}`,
      runFolder: `/run/${name}`,
      pki: `${world.folder}/control/pki`,
      cgroup: `${world.cgroup}/${name}`,
      cniPlugins,
    }),
  )
  const starting = runHarness(control.path, [
    ...['--dir', `${world.folder}/control`, '--nodes=0', `--kubelets=${NODES.join()}`],
    ...[`--address=${NODE_ADDRESS}`, '--autoscaler-period=2s'],
  ])
  const containerds = await Promise.all(plans.map((plan) => startContainerd(plan, logFolder)))
  await Promise.all(plans.map((plan) => importInto(plan, [pause, ...images])))
  const { ready, unref } = await starting
  // The world ends with the tests, unless it shall stay.
  if (!world.keep) unref()
  const cluster = await connectNodes({
    kubeconfigPath: ready.kubeconfig,
    folder: world.folder,
    cniPlugins,
    networkFiles: plans.map(networkFile),
    podNetwork: POD_NETWORK,
    logFolder,
    nodes: plans.map(({ name, runFolder }) => ({ name, socket: `${runFolder}/containerd.sock` })),
  })
  const kubelets = await Promise.all(plans.map((plan) => startKubelet(tools.node, plan, logFolder)))
  const proxy = await startKubeProxy(tools.node, `${ready.dir}/pki`, world.folder)
  const dns = await startDns(cluster, tools.dns, logFolder)
  const programs = [...containerds, ...kubelets, proxy, dns]
  await Promise.all([
    ...NODES.map((name) => until(`node ${name} Ready`, () => isReady(cluster, name), programs)),
    until('kube-proxy in force', () => answers('http://127.0.0.1:10256/healthz'), programs),
  ])
  return cluster
}

/** Uses nodes that run. */
export async function connectNodes(at: NodesAt): Promise<RealCluster> {
  const ctr = (socket: string, archive: string) =>
    output('ctr', ['-a', socket, '-n', 'k8s.io', 'images', 'import', archive])
  return {
    ...(await connectCluster(at.kubeconfigPath)),
    at,
    nodes: at.nodes.map(({ name }) => name),
    nodeAddress: NODE_ADDRESS,
    importImage: async (archive) => {
      await Promise.all(at.nodes.map(({ socket }) => ctr(socket, archive)))
    },
    nodeLogs: (component) => readFile(logOf(at, component), 'utf8'),
    outside: (program, ...args) =>
      output('nsenter', ['--net=/run/netns/outside', '--', program, ...args]),
  }
}

/** A folder with links to the programs of another one. */
async function ownFolder(programs: string, folder: string): Promise<string> {
  await mkdir(folder)
  for (const name of await readdir(programs))
    await symlink(`${programs}/${name}`, `${folder}/${name}`)
  return folder
}

const logOf = ({ logFolder }: NodesAt, component: string): string =>
  component.startsWith('kube-') && component !== 'kube-proxy'
    ? `${logFolder}/../control/logs/${component}.log`
    : `${logFolder}/${component}.log`

async function startKubeProxy(binary: string, pki: string, folder: string): Promise<Running> {
  const settings = `${folder}/kube-proxy.yaml`
  await writeFile(settings, kubeProxySettings(pki))
  return startProgram(`${folder}/logs/kube-proxy.log`, binary, [
    'kube-proxy',
    `--config=${settings}`,
  ])
}

async function isReady(cluster: Cluster, name: string): Promise<boolean> {
  const { body } = await cluster.request('GET', `/api/v1/nodes/${name}`)
  const { conditions = [] } = Object(Object(body).status)
  return Array.from<{ type: string; status: string }>(conditions).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  )
}

const answers = async (url: string): Promise<boolean> => (await fetch(url)).ok
