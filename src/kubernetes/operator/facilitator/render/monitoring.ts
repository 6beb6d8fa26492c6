import { clusterPaths } from '../../../../platform/core/http-paths.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import { labels } from '../../../crd/names/marks.ts'
import type { DesiredObject } from '../../../runtime/objects/resource.ts'
import { alertRules } from '../../alerts/alerts.ts'
import type { DesiredFacilitator } from '../desired/desired.ts'
import { metadataOf, selectorOf } from '../spec/child-metadata.ts'
import { partsOf } from '../spec/parts.ts'

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

/** Gives every series of a target this label. */
const fixed = (targetLabel: string, replacement: string) => ({
  action: 'replace',
  targetLabel,
  replacement,
})

/**
 * Every series has the labels `namespace` and `facilitator`, and those with a network also `channelpool`: pods do not
 * know the names of the pools.
 */
const endpoints = ({ facilitator: { metadata, spec }, networks }: DesiredFacilitator) => [
  {
    port: 'admin',
    path: clusterPaths.metrics,
    interval: spec.monitoring.interval,
    relabelings: [fixed('namespace', metadata.namespace), fixed('facilitator', metadata.name)],
    metricRelabelings: networks.map(({ pool }) => ({
      ...fixed('channelpool', pool.metadata.name),
      sourceLabels: ['network'],
      regex: pool.spec.network,
    })),
  },
]

/**
 * Pods with ten networks have some thousands of series: an image that serves millions, or labels of megabytes, would fill a Prometheus that
 * others share.
 */
const limits = {
  sampleLimit: 20_000,
  labelLimit: 40,
  labelNameLengthLimit: 256,
  labelValueLengthLimit: 1_024,
}

/** `x402_svc_dev_facilitator`: the metric of the HorizontalPodAutoscaler is selected by it. */
const targetLabels = { podTargetLabels: [labels.facilitator] }

/** A PodMonitor or a ServiceMonitor, as the spec says. */
export function monitor(desired: DesiredFacilitator): DesiredObject {
  const { facilitator } = desired
  const { monitor: kind } = facilitator.spec.monitoring
  const members =
    kind === 'PodMonitor'
      ? { podMetricsEndpoints: endpoints(desired) }
      : { endpoints: endpoints(desired) }
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: metadata(facilitator),
    spec: { selector: pods(facilitator), ...targetLabels, ...limits, ...members },
  }
}

/** The alerts of this Facilitator. */
export function prometheusRule({ facilitator, runbooks }: DesiredFacilitator): DesiredObject {
  const { name, namespace } = facilitator.metadata
  const matchers = { facilitator: `namespace="${namespace}",facilitator="${name}"` }
  return {
    apiVersion: API_VERSION,
    kind: 'PrometheusRule',
    metadata: metadata(facilitator),
    spec: {
      groups: [{ name: 'x402-facilitator', rules: alertRules({ matchers, runbooks }) }],
    },
  }
}
