import { mkdir, writeFile } from 'node:fs/promises'
import {
  cniSettings,
  containerdSettings,
  containerdSocket,
  kubeletSettings,
  NODE_ADDRESS,
  type NodePlan,
  networkFile,
} from './node-config.ts'
import { output, type Running, startProgram, until } from './node-process.ts'

/** Returns when it answers. */
export async function startContainerd(plan: NodePlan, logFolder: string): Promise<Running> {
  for (const folder of [plan.folder, `${plan.folder}/cni`, plan.runFolder])
    await mkdir(folder, { recursive: true })
  const settings = `${plan.folder}/containerd.toml`
  await writeFile(settings, containerdSettings(plan))
  await writeFile(networkFile(plan), cniSettings(plan))
  const log = `${logFolder}/${plan.name}-containerd.log`
  const running = startProgram(log, 'containerd', ['--config', settings])
  const version = () => output('ctr', ['-a', containerdSocket(plan), 'version'])
  await until(`${plan.name}: containerd`, async () => (await version()) !== '', [running])
  return running
}

export async function importInto(plan: NodePlan, archives: readonly string[]): Promise<void> {
  for (const archive of archives)
    await output('ctr', ['-a', containerdSocket(plan), '-n', 'k8s.io', 'images', 'import', archive])
}

/** It registers the node. */
export async function startKubelet(
  binary: string,
  plan: NodePlan,
  logFolder: string,
): Promise<Running> {
  const settings = `${plan.folder}/kubelet.yaml`
  await writeFile(settings, kubeletSettings(plan))
  // What pods with the node's own resolver ask.
  await writeFile(`${plan.folder}/resolv.conf`, `nameserver ${NODE_ADDRESS}\n`)
  return startProgram(`${logFolder}/${plan.name}-kubelet.log`, binary, [
    'kubelet',
    `--config=${settings}`,
    `--kubeconfig=${plan.pki}/${plan.name}.kubeconfig`,
    `--root-dir=${plan.folder}/kubelet`,
    `--cert-dir=${plan.folder}/kubelet-pki`,
    `--hostname-override=${plan.name}`,
    `--node-ip=${NODE_ADDRESS}`,
    // One zone each, as the rules that spread pods expect.
    `--node-labels=topology.kubernetes.io/zone=zone-${plan.number}`,
    '--v=2',
  ])
}
