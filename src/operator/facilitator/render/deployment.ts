import { annotations, childAnnotations } from '../../../api/marks.ts'
import { canonicalHash } from '../../../core/canonical-json.ts'
import { clusterPaths } from '../../../core/http-paths.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import { ports } from '../environment.ts'
import type { Part } from '../parts.ts'
import { type SecretFile, secretFilesOf } from '../secret-files.ts'
import { secretId, type Wanted } from '../wanted.ts'
import { metadataOf, selectorOf } from './common.ts'
import { configMapName } from './config-map.ts'
import { podTemplate, spreadOf } from './pod.ts'

/** Time for endpoints to forget the pod before it is told to stop. */
const PAUSE_SECONDS = 5
/** That pause, the longest grace of the service, and some. */
const GRACE_SECONDS = 45
const FEW_REPLICAS = 4

export function deployment(part: Part, wanted: Wanted): DesiredObject {
  const { facilitator } = wanted
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
        rollingUpdate: { maxUnavailable: 0, maxSurge: replicas > FEW_REPLICAS ? '25%' : 1 },
      },
      template: templateOf(part, wanted),
    },
  }
}

function templateOf(part: Part, wanted: Wanted): Readonly<Record<string, unknown>> {
  const { facilitator, networks, image } = wanted
  const { component, command, resources } = part
  const pools = networks.map(({ pool }) => pool)
  const files = secretFilesOf(part.name, facilitator, pools)
  const configMap = configMapName(part, wanted)
  const restartedAt = facilitator.metadata.annotations?.[annotations.restartedAt]
  return podTemplate({
    facilitator,
    component,
    image,
    args: [command],
    configMap: configMap.name,
    files,
    resources,
    annotations: {
      [childAnnotations.configHash]: configMap.hash,
      [childAnnotations.secretHash]: secretHash(files, wanted),
      ...(restartedAt !== undefined && { [annotations.restartedAt]: restartedAt }),
    },
    container: { ports: containerPorts, ...probes, lifecycle },
    pod: { terminationGracePeriodSeconds: GRACE_SECONDS, ...spreadOf(facilitator, component) },
  })
}

/** Of the secrets that pods read at their start, and of nothing else: what else changes rolls nothing. */
const secretHash = (files: readonly SecretFile[], { secrets }: Wanted): string =>
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

const asks = (path: string) => ({ httpGet: { path, port: 'admin' }, timeoutSeconds: 3 })

/** Only readiness looks at the database: a pod is not killed because something else is down. */
const probes = {
  startupProbe: { ...asks(clusterPaths.live), periodSeconds: 2, failureThreshold: 30 },
  livenessProbe: { ...asks(clusterPaths.live), periodSeconds: 10, failureThreshold: 3 },
  readinessProbe: { ...asks(clusterPaths.ready), periodSeconds: 5, failureThreshold: 2 },
}

/** By the node itself: images have no shell to sleep with. */
const lifecycle = { preStop: { sleep: { seconds: PAUSE_SECONDS } } }
