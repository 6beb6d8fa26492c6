import type { DesiredObject, KubeObject, ResourceType } from '../../runtime/objects/resource.ts'
import type { AnyObject } from '../../runtime/objects/well-known.ts'
import { wellKnown } from '../../runtime/objects/well-known.ts'

const monitoring = (plural: string, kind: string): ResourceType<AnyObject> => ({
  group: 'monitoring.coreos.com',
  version: 'v1',
  plural,
  kind,
  namespaced: true,
})

/** Kinds of a Facilitator's objects that every cluster serves. */
const childTypes = {
  ServiceAccount: wellKnown.serviceAccount,
  ConfigMap: wellKnown.configMap,
  Service: wellKnown.service,
  PodDisruptionBudget: wellKnown.podDisruptionBudget,
  NetworkPolicy: wellKnown.networkPolicy,
  Job: wellKnown.job,
  Deployment: wellKnown.deployment,
  Ingress: wellKnown.ingress,
  HorizontalPodAutoscaler: wellKnown.horizontalPodAutoscaler,
} as const satisfies Record<string, ResourceType>

/** Kinds that a cluster may not serve. */
export const optionalTypes = {
  HTTPRoute: wellKnown.httpRoute,
  PodMonitor: monitoring('podmonitors', 'PodMonitor'),
  ServiceMonitor: monitoring('servicemonitors', 'ServiceMonitor'),
  PrometheusRule: monitoring('prometheusrules', 'PrometheusRule'),
} as const satisfies Record<string, ResourceType>

export type OptionalKind = keyof typeof optionalTypes
export type ChildKind = keyof typeof childTypes | OptionalKind

export const childKinds = Object.keys({ ...childTypes, ...optionalTypes }) as readonly ChildKind[]

export const typeOf = (kind: ChildKind): ResourceType<AnyObject> =>
  ({ ...childTypes, ...optionalTypes })[kind] as ResourceType<AnyObject>

export const isOptional = (kind: ChildKind): kind is OptionalKind => kind in optionalTypes

/** Throws a TypeError for a kind that no child has. */
export function kindOf({ kind }: DesiredObject | KubeObject): ChildKind {
  const found = childKinds.find((each) => each === kind)
  if (!found) throw new TypeError(`${kind} is no kind of child`)
  return found
}
