import { clusterPaths } from '../../../../../platform/core/http-paths.ts'
import { canonicalHash } from '../../../../../platform/core/text/canonical-json.ts'
import { annotations, childAnnotations } from '../../../../crd/names/marks.ts'
import type { DesiredObject } from '../../../../runtime/objects/resource.ts'
import type { DesiredFacilitator } from '../../desired/desired.ts'
import { metadataOf, selectorOf } from '../../spec/child-metadata.ts'
import type { Part } from '../../spec/parts.ts'
import { type SecretFile, secretFilesOf, secretId } from '../../spec/secret-files.ts'
import { configMapName } from './config-map.ts'
import { environmentOf, ports } from './environment.ts'
import type { MergedTemplate } from './merge-template.ts'
import { mergedPodTemplate, spreadOf } from './pod.ts'

/** The pause before SIGTERM: until then the endpoints of the Service drop the pod. */
const PRE_STOP_SECONDS = 5
/** More than that pause and SHUTDOWN_GRACE_MS together. */
const GRACE_SECONDS = 45
/** Up to here 25 % would be less than one pod, or one. */
const MAX_REPLICAS_SURGING_BY_ONE = 4

export function deployment(part: Part, desired: DesiredFacilitator): DesiredObject {
  const { facilitator } = desired
  const { component, replicas } = part
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(facilitator, { suffix: component, component }),
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
      template: templateOf(part, desired).template,
    },
  }
}

/** The pods of a part, and what of the spec's template the operator replaced. */
export function templateOf(part: Part, desired: DesiredFacilitator): MergedTemplate {
  const { facilitator, networks, image } = desired
  const { component, command, resources } = part
  const pools = networks.map(({ pool }) => pool)
  const files = secretFilesOf(part.name, facilitator, pools)
  const configMap = configMapName(part, desired)
  const restartedAt = facilitator.metadata.annotations?.[annotations.restartedAt]
  return mergedPodTemplate({
    facilitator,
    component,
    image,
    args: [command],
    configMap: configMap.name,
    variables: Object.keys(environmentOf(part.name, desired)),
    files,
    resources,
    annotations: {
      [childAnnotations.configHash]: configMap.hash,
      [childAnnotations.secretHash]: secretHash(files, desired),
      ...(restartedAt !== undefined && { [annotations.restartedAt]: restartedAt }),
    },
    container: { ports: containerPorts, ...probes, lifecycle },
    pod: { terminationGracePeriodSeconds: GRACE_SECONDS, ...spreadOf(facilitator, component) },
  })
}

/** A hash of the secrets that pods read only when they start: a change of one rolls the pods. */
export const secretHash = (files: readonly SecretFile[], { secrets }: DesiredFacilitator): string =>
  canonicalHash(
    Object.fromEntries(
      files
        .filter(({ rolls }) => rolls)
        .map(({ file, ref }) => [file, canonicalHash(secrets.get(secretId(ref)) ?? '')]),
    ),
  )

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
