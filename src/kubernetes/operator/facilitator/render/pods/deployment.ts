import { clusterPaths } from '../../../../../platform/core/http-paths.ts'
import { canonicalHash } from '../../../../../platform/core/text/canonical-json.ts'
import type { Facilitator } from '../../../../crd/facilitator.ts'
import { annotations, childAnnotations, labels } from '../../../../crd/names/marks.ts'
import { ports } from '../../../../crd/names/pods.ts'
import type { DesiredObject } from '../../../../runtime/objects/resource.ts'
import type { DesiredFacilitator } from '../../desired/desired.ts'
import { metadataOf, selectorOf } from '../../spec/child-metadata.ts'
import type { Part } from '../../spec/parts.ts'
import type { MergedTemplate } from './merge-template.ts'
import { mergedPodTemplate, spreadOf } from './pod.ts'
import type { PodInputs } from './pod-inputs.ts'

/** The pause before SIGTERM: until then the endpoints of the Service drop the pod. */
const PRE_STOP_SECONDS = 5
/** More than that pause and SHUTDOWN_GRACE_MS together. */
const GRACE_SECONDS = 45
/** Up to here 25 % would be less than one pod, or one. */
const MAX_REPLICAS_SURGING_BY_ONE = 4

/** A part of a Facilitator as it should be. */
export interface Rollout {
  readonly part: Part
  readonly configMap: DesiredObject
  readonly deployment: DesiredObject
  /** Members of the spec's pod template that the operator replaced with its own. */
  readonly overridden: readonly string[]
}

/** @param preflightHash of the pods that a preflight checks */
export function rollout(
  inputs: PodInputs,
  desired: DesiredFacilitator,
  preflightHash?: string,
): Rollout {
  const { facilitator } = desired
  const { part, configMap } = inputs
  const { component, replicas } = part
  const { template, overridden } = templateOf(inputs, desired)
  const metadata = metadataOf(facilitator, { suffix: component, component })
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...versionLabel(facilitator) },
      // They tell a change that replaces pods from one that does not, and one that needs a preflight.
      annotations: {
        [childAnnotations.templateHash]: canonicalHash(template),
        ...(preflightHash !== undefined && { [childAnnotations.preflightHash]: preflightHash }),
      },
    },
    spec: {
      replicas,
      revisionHistoryLimit: 3,
      minReadySeconds: 10,
      progressDeadlineSeconds: 300,
      selector: { matchLabels: selectorOf(facilitator, component) },
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: {
          maxUnavailable: 0,
          maxSurge: replicas > MAX_REPLICAS_SURGING_BY_ONE ? '25%' : 1,
        },
      },
      template,
    },
  }
  return { part, configMap, deployment, overridden }
}

/** Only on the Deployment: on the pod template the label would cause a rollout. */
function versionLabel({ spec: { image } }: Facilitator): Readonly<Record<string, string>> {
  const tag = image?.tag
  const isValue = tag !== undefined && /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(tag)
  return isValue ? { [labels.version]: tag } : {}
}

function templateOf(
  { part: { component, command }, pod }: PodInputs,
  { facilitator, image }: DesiredFacilitator,
): MergedTemplate {
  const restartedAt = facilitator.metadata.annotations?.[annotations.restartedAt]
  return mergedPodTemplate({
    ...pod,
    facilitator,
    component,
    image,
    args: [command],
    annotations: {
      ...pod.annotations,
      ...(restartedAt !== undefined && { [annotations.restartedAt]: restartedAt }),
    },
    container: { ports: containerPorts, ...probes, lifecycle },
    pod: { terminationGracePeriodSeconds: GRACE_SECONDS, ...spreadOf(facilitator, component) },
  })
}

const containerPorts = [
  { name: 'http', containerPort: ports.http, protocol: 'TCP' },
  { name: 'admin', containerPort: ports.admin, protocol: 'TCP' },
]

const httpGet = (path: string) => ({ httpGet: { path, port: 'admin' }, timeoutSeconds: 3 })

/**
 * Five minutes, as long as the Deployment may make no progress. On a node where many pods start at once, a minute was
 * not enough: the kubelet killed pods that were starting, and what started again made the node busier.
 */
const STARTUP_FAILURES = 150

/** Only readiness depends on the database: an outage must not make the kubelet kill pods. */
const probes = {
  startupProbe: {
    ...httpGet(clusterPaths.live),
    periodSeconds: 2,
    failureThreshold: STARTUP_FAILURES,
  },
  livenessProbe: { ...httpGet(clusterPaths.live), periodSeconds: 10, failureThreshold: 3 },
  readinessProbe: { ...httpGet(clusterPaths.ready), periodSeconds: 5, failureThreshold: 2 },
}

/** The kubelet sleeps: the image has no shell. */
const lifecycle = { preStop: { sleep: { seconds: PRE_STOP_SECONDS } } }
