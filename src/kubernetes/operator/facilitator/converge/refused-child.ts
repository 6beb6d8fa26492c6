import type { KubeError } from '../../../runtime/client/kube-error.ts'
import type { DesiredObject } from '../../../runtime/objects/resource.ts'
import type { ChildKind } from '../../watches/child-kinds.ts'

/** The field of a Facilitator's spec from which an object has what its own API may refuse. */
const fields: Readonly<Record<ChildKind, string>> = {
  ConfigMap: 'spec',
  Deployment: 'spec.podTemplate',
  HTTPRoute: 'spec.route',
  HorizontalPodAutoscaler: 'spec.autoscale',
  Ingress: 'spec.route',
  Job: 'spec.podTemplate',
  NetworkPolicy: 'spec.networkPolicy',
  PodDisruptionBudget: 'spec.podDisruptionBudget',
  PodMonitor: 'spec.monitoring',
  PrometheusRule: 'spec.monitoring',
  Service: 'spec.service',
  ServiceAccount: 'spec.serviceAccount',
  ServiceMonitor: 'spec.monitoring',
}

/** Says nothing about the object: the call, and what the server tried. */
const preamble =
  /^\S+ \S+ answered \d+: (failed to (create typed patch object|convert new object) \([^)]*\)( to proper version: unable to convert unstructured object to [^:]*)?: )?(\S+ "[^"]*" is invalid: )?/

/** Parts that only programmers read. The server's own examples stand before its expressions, but for quantities. */
const expressions: readonly (readonly [RegExp, string])[] = [
  [/,? regex used for validation is '[^']*'/g, ''],
  [
    /quantities must match the regular expression '[^']*'/g,
    'a quantity must be such as 100m or 0.5 of CPU, or 256Mi of memory',
  ],
  [/&value\.valueUnstructured\{Value:([^}]*)\}/g, '$1'],
]

/** Names the object that the API server refused, the reason, and the field to correct. */
export function refusedChild({ message }: KubeError, { kind, metadata }: DesiredObject): string {
  const words = expressions.reduce(
    (text, [expression, instead]) => text.replace(expression, instead),
    message.replace(preamble, ''),
  )
  return `The cluster refused ${kind} ${metadata.name}: ${words}. Correct ${fields[kind as ChildKind]} of the Facilitator.`
}
