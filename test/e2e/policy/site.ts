import { connectCluster } from '../../cluster/support/cluster.ts'
export async function connectSite() {
  const site = JSON.parse(process.env['SVC_POLICY_SITE'] ?? '')
  return {
    cluster: await connectCluster(site.kubeconfigPath),
    nodeAddress: '10.255.0.1',
    enforcer: site,
  }
}
