import type { Facilitator } from '../../../api/facilitator.ts'
import { labels } from '../../../api/marks.ts'
import { clusterPaths } from '../../../core/http-paths.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import { alertRules } from '../alerts.ts'
import { partsOf } from '../parts.ts'
import { promLabel } from './autoscaler.ts'
import { metadataOf, selectorOf } from './common.ts'

const API_VERSION = 'monitoring.coreos.com/v1'

const metadata = (facilitator: Facilitator) =>
  metadataOf(facilitator, {
    suffix: 'pods',
    labels: facilitator.spec.monitoring.labels,
  })

const pods = (facilitator: Facilitator) => ({
  matchLabels: selectorOf(facilitator),
  matchExpressions: [
    {
      key: labels.component,
      operator: 'In',
      values: partsOf(facilitator).map(({ component }) => component),
    },
  ],
})

const endpoints = ({ spec }: Facilitator) => [
  { port: 'admin', path: clusterPaths.metrics, interval: spec.monitoring.interval },
]

/** Every series gets the Facilitator's name as a label. */
const targetLabels = { podTargetLabels: [labels.facilitator] }

/** A PodMonitor or a ServiceMonitor, as the spec says. */
export function monitor(facilitator: Facilitator): DesiredObject {
  const { monitor: kind } = facilitator.spec.monitoring
  const members =
    kind === 'PodMonitor'
      ? { podMetricsEndpoints: endpoints(facilitator) }
      : { endpoints: endpoints(facilitator) }
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: metadata(facilitator),
    spec: { selector: pods(facilitator), ...targetLabels, ...members },
  }
}

/** The alerts of this Facilitator. */
export function prometheusRule(facilitator: Facilitator): DesiredObject {
  const { name, namespace } = facilitator.metadata
  const matchers = `namespace="${namespace}",${promLabel(labels.facilitator)}="${name}"`
  return {
    apiVersion: API_VERSION,
    kind: 'PrometheusRule',
    metadata: metadata(facilitator),
    spec: {
      groups: [{ name: 'x402-facilitator', rules: alertRules({ scope: 'facilitator', matchers }) }],
    },
  }
}
