import type { Cluster } from '../../cluster/support/cluster.ts'
import { DNS_ADDRESS, NODE_ADDRESS } from './node-config.ts'
import { type Running, startProgram } from './node-process.ts'

const ports = ['UDP', 'TCP'].map((protocol) => ({
  name: protocol.toLowerCase(),
  protocol,
  port: 53,
}))

/** The names of Services: a process on the nodes behind the Service kube-dns, whose address all pods ask. */
export async function startDns(
  cluster: Cluster,
  binary: string,
  logFolder: string,
): Promise<Running> {
  const metadata = { name: 'kube-dns', namespace: 'kube-system' }
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadata, labels: { 'k8s-app': 'kube-dns' } },
    spec: { clusterIP: DNS_ADDRESS, ports },
  }
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kube-dns' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [NODE_ADDRESS] }],
    ports,
  }
  for (const object of [service, slice])
    await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(object) })
  return startProgram(`${logFolder}/dns.log`, binary, [
    `--kubeconfig=${cluster.kubeconfigPath}`,
    `--listen=${NODE_ADDRESS}:53`,
  ])
}
