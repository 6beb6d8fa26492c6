import type { KubeObject, ResourceType } from './resource.ts'

/** An object with a spec and a status of unknown shape. */
export interface AnyObject extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

export interface Secret extends KubeObject {
  readonly type?: string
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

const namespaced = <T extends KubeObject = AnyObject>(
  apiVersion: string,
  plural: string,
  kind: string,
): ResourceType<T> => {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return { group, version, plural, kind, namespaced: true }
}

/** Kinds of Kubernetes that an operator reads or creates. */
export const wellKnown = {
  secret: namespaced<Secret>('v1', 'secrets', 'Secret'),
  configMap: namespaced<ConfigMap>('v1', 'configmaps', 'ConfigMap'),
  service: namespaced('v1', 'services', 'Service'),
  serviceAccount: namespaced('v1', 'serviceaccounts', 'ServiceAccount'),
  pod: namespaced('v1', 'pods', 'Pod'),
  deployment: namespaced('apps/v1', 'deployments', 'Deployment'),
  job: namespaced('batch/v1', 'jobs', 'Job'),
  podDisruptionBudget: namespaced('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget'),
  networkPolicy: namespaced('networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy'),
  ingress: namespaced('networking.k8s.io/v1', 'ingresses', 'Ingress'),
  httpRoute: namespaced('gateway.networking.k8s.io/v1', 'httproutes', 'HTTPRoute'),
  horizontalPodAutoscaler: namespaced(
    'autoscaling/v2',
    'horizontalpodautoscalers',
    'HorizontalPodAutoscaler',
  ),
} as const
