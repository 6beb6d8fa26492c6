import { variablePrefixes } from '../../../../../platform/core/caip2.ts'
import { canonicalHash } from '../../../../../platform/core/text/canonical-json.ts'
import { perNetworkSettings, processSettings } from '../../../../../settings/rows/processes.ts'
import type { DesiredObject } from '../../../../runtime/objects/resource.ts'
import type { DesiredFacilitator } from '../../desired/desired.ts'
import { metadataOf, PREFLIGHT } from '../../spec/child-metadata.ts'
import { podTemplate, podTemplateOf } from './pod.ts'
import type { PodInputs } from './pod-inputs.ts'

/** A request that was lost once must not hold up a rollout for minutes. */
const RETRIES = 1
/** Time limit of all attempts of one Job together. The command itself takes half a minute at most. */
const DEADLINE_SECONDS = 300

/**
 * Checks that a facilitator pod of this image, configuration and these secrets could settle. Named by what the result
 * depends on: not by the number of channels, so that a pool grows without it, nor by settings such as rate limits.
 * @param hash of these inputs, by `preflightHash`
 */
export function preflightJob(
  { pod }: PodInputs,
  hash: string,
  { facilitator, networks, image }: DesiredFacilitator,
): DesiredObject {
  // The pods that serve have no channel there either.
  const empty = networks.filter(({ pool: { spec } }) => !spec.autoscale && spec.channels === 0)
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadataOf(facilitator, {
      suffix: `preflight-${hash.slice(0, 8)}`,
      component: PREFLIGHT,
    }),
    spec: {
      backoffLimit: RETRIES,
      activeDeadlineSeconds: DEADLINE_SECONDS,
      template: podTemplate({
        ...pod,
        facilitator,
        component: PREFLIGHT,
        image,
        args: [
          'preflight',
          ...empty.flatMap(({ pool }) => ['--without-channels', pool.spec.network]),
        ],
        pod: { restartPolicy: 'Never' },
      }),
    },
  }
}

/** The definition has checked their values. */
const withoutEffect: ReadonlySet<string> = new Set(
  Object.entries({ ...processSettings.facilitator, ...perNetworkSettings }).flatMap(
    ([name, row]) => ('preflight' in row ? [name] : []),
  ),
)

const prefixes = Object.values(variablePrefixes)

const isWithoutEffect = (variable: string): boolean => {
  const prefix = prefixes.find((each) => each !== '' && variable.startsWith(each)) ?? ''
  return withoutEffect.has(variable.slice(prefix.length))
}

/** Hash of everything that the result of a preflight depends on, but for the state of the database and the ledger. */
export function preflightHash(
  { environment, secretHash }: PodInputs,
  { facilitator, image }: DesiredFacilitator,
): string {
  const settings = Object.entries(environment).filter(([variable]) => !isWithoutEffect(variable))
  return canonicalHash([
    image.reference,
    Object.fromEntries(settings),
    secretHash,
    podTemplateOf(facilitator),
  ])
}
