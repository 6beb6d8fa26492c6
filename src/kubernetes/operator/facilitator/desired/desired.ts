import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import type { SecretDigest } from '../../secret-digest.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import type { PodImage } from '../spec/image.ts'
import { type Blocker, blockerOf } from './blockers.ts'

/** Everything that children are rendered from, complete and valid. */
export interface DesiredFacilitator {
  readonly facilitator: Facilitator
  /** The networks in the order of `spec.networks`. */
  readonly networks: readonly DesiredNetwork[]
  readonly image: PodImage
  /** The present values of the Secrets, by `secretId`. */
  readonly secrets: ReadonlyMap<string, string>
  readonly digest: SecretDigest
  /** Address of the runbooks that alerts link to; the project's own when absent. */
  readonly runbooks?: string | undefined
}

export interface DesiredNetwork {
  readonly settings: Facilitator['spec']['networks'][number]
  readonly pool: ChannelPool
}

/** The input of the rendering of children, or the first reason why none can be rendered. */
export function desiredFacilitator(
  observed: ObservedFacilitator,
): { readonly desired: DesiredFacilitator } | { readonly blocker: Blocker } {
  const blocker = blockerOf(observed)
  if (blocker) return { blocker }
  const { facilitator, pools, image, secrets, digest, runbooks } = observed
  if (!image) throw new TypeError('no image, and no blocker reports that')
  const networks = facilitator.spec.networks.flatMap((settings) => {
    const pool = pools.get(settings.channelPool)
    return pool ? [{ settings, pool }] : []
  })
  return { desired: { facilitator, networks, image, secrets, digest, runbooks } }
}
