/** The kinds that a team writes, those first whose objects others depend on. */
export const plurals = {
  Facilitator: { apiVersion: 'x402.svc.dev/v1beta1', plural: 'facilitators' },
  ChannelPool: { apiVersion: 'x402.svc.dev/v1beta1', plural: 'channelpools' },
  ResourceQuota: { apiVersion: 'v1', plural: 'resourcequotas' },
  LimitRange: { apiVersion: 'v1', plural: 'limitranges' },
  NetworkPolicy: { apiVersion: 'networking.k8s.io/v1', plural: 'networkpolicies' },
  Ingress: { apiVersion: 'networking.k8s.io/v1', plural: 'ingresses' },
  Deployment: { apiVersion: 'apps/v1', plural: 'deployments' },
  Job: { apiVersion: 'batch/v1', plural: 'jobs' },
  Pod: { apiVersion: 'v1', plural: 'pods' },
  Service: { apiVersion: 'v1', plural: 'services' },
  ConfigMap: { apiVersion: 'v1', plural: 'configmaps' },
  Secret: { apiVersion: 'v1', plural: 'secrets' },
  ServiceAccount: { apiVersion: 'v1', plural: 'serviceaccounts' },
  PodDisruptionBudget: { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' },
  Lease: { apiVersion: 'coordination.k8s.io/v1', plural: 'leases' },
  PrometheusRule: { apiVersion: 'monitoring.coreos.com/v1', plural: 'prometheusrules' },
} as const

export type Kind = keyof typeof plurals

export function pathOf(kind: Kind, namespace: string, name = ''): string {
  const { apiVersion, plural } = plurals[kind]
  const api = apiVersion === 'v1' ? 'api/v1' : `apis/${apiVersion}`
  return `/${api}/namespaces/${namespace}/${plural}${name && `/${name}`}`
}
