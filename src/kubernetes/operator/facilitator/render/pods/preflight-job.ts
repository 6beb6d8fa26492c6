import { childAnnotations } from '../../../../crd/names/marks.ts'
import type { DesiredObject } from '../../../../runtime/objects/resource.ts'
import type { DesiredFacilitator } from '../../desired/desired.ts'
import { metadataOf, PREFLIGHT } from '../../spec/child-metadata.ts'
import { partsOf } from '../../spec/parts.ts'
import { secretFilesOf } from '../../spec/secret-files.ts'
import { configMapName } from './config-map.ts'
import { secretHash } from './deployment.ts'
import { environmentOf } from './environment.ts'
import { podTemplate } from './pod.ts'
import { preflightHash } from './preflight-inputs.ts'

/** A request that was lost once must not hold up a rollout for minutes. */
const RETRIES = 1
/** Time limit of all attempts of one Job together. The command itself takes half a minute at most. */
const DEADLINE_SECONDS = 300

/**
 * Checks that a facilitator pod of this image, configuration and these secrets could settle. Named by what the result
 * depends on: not by the number of channels, so that a pool grows without it, nor by settings such as rate limits.
 */
export function preflightJob(desired: DesiredFacilitator): DesiredObject {
  const { facilitator, networks, image } = desired
  const [part] = partsOf(facilitator)
  if (!part) throw new TypeError('every Facilitator has facilitator pods')
  const files = secretFilesOf(
    part.name,
    facilitator,
    networks.map(({ pool }) => pool),
  )
  const configMap = configMapName(part, desired)
  const secrets = secretHash(files, desired)
  // The pods that serve have no channel there either.
  const empty = networks.filter(({ pool: { spec } }) => !spec.autoscale && spec.channels === 0)
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadataOf(facilitator, {
      suffix: `preflight-${preflightHash(desired).slice(0, 8)}`,
      component: PREFLIGHT,
    }),
    spec: {
      backoffLimit: RETRIES,
      activeDeadlineSeconds: DEADLINE_SECONDS,
      template: podTemplate({
        facilitator,
        component: PREFLIGHT,
        image,
        args: [
          'preflight',
          ...empty.flatMap(({ pool }) => ['--without-channels', pool.spec.network]),
        ],
        configMap: configMap.name,
        variables: Object.keys(environmentOf(part.name, desired)),
        files,
        resources: part.resources,
        annotations: {
          [childAnnotations.configHash]: configMap.hash,
          [childAnnotations.secretHash]: secrets,
        },
        pod: { restartPolicy: 'Never' },
      }),
    },
  }
}
