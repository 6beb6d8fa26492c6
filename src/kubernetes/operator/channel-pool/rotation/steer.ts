import { beginning, inPhase } from '../../../../payments/channels/rotation/phases.ts'
import { isoTime } from '../../../../platform/core/text/iso-time.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import {
  hasNoWayBack,
  isUnderWay,
  type Rotation,
  sponsorInUse,
} from '../../references/rotation-state.ts'
import { type SponsorSource, sameSponsorSource } from '../../references/sponsor-source.ts'

interface StartFacts {
  /** The address of the sponsor in use. */
  readonly address: string
  /** The address of the seed in the Secret that the spec names; undefined while it holds none. */
  readonly newAddress: string | undefined
  /** Unix ms. */
  readonly now: number
}

/** How to react to a spec that names another Secret than the one in use: `switch` needs no rotation. */
export type Start =
  | { readonly kind: 'none' }
  /** The seed is the same, or the pool has no channel account: the other Secret counts from now on. */
  | { readonly kind: 'switch' }
  /** The channels of the same sponsor would have other keys. */
  | { readonly kind: 'refuse'; readonly message: string }
  | { readonly kind: 'rotate'; readonly rotation: Rotation }

/** How a rotation starts for a pool without one under way. */
export function startOf(pool: ChannelPool, { address, newAddress, now }: StartFacts): Start {
  const { spec, status } = pool
  const inUse = sponsorInUse(pool)
  if (sameSponsorSource(inUse, spec.sponsor)) return { kind: 'none' }
  if (!hasChannels(pool)) return { kind: 'switch' }
  if (newAddress === address) {
    const message = otherChannelKeys({ address, from: inUse, to: spec.sponsor })
    return message === undefined ? { kind: 'switch' } : { kind: 'refuse', message }
  }
  const rotation: Rotation = {
    ...beginning({ mode: spec.rotation.mode, step: (status?.rotation?.step ?? 0) + 1, now }),
    from: { address, source: inUse },
    to: {
      ...(newAddress !== undefined && { address: newAddress }),
      source: spec.sponsor,
    },
    startedAt: isoTime(now),
  }
  return { kind: 'rotate', rotation }
}

/** Why a sponsor cannot go on with a key elsewhere: what its channels are derived from changes. Undefined when that stays. */
export function otherChannelKeys({
  address,
  from,
  to,
}: {
  readonly address: string
  readonly from: SponsorSource
  readonly to: SponsorSource
}): string | undefined {
  if ((from.secretRef === undefined) === (to.secretRef === undefined)) return undefined
  return (
    `spec.sponsor names another place of the key of ${address}. The keys of channels are derived from the seed of a sponsor where a Secret holds it, and else from a Secret of their own, ` +
    'so the pool would lose its channels: name the former place again, remove spec.autoscale, set spec.channels to 0, and change spec.sponsor once status.channels.accounts is 0.'
  )
}

/** Only an account on the ledger needs the seed of its sponsor. */
const hasChannels = ({ status }: Pick<ChannelPool, 'status'>): boolean =>
  (status?.channels?.accounts ?? 0) > 0

/**
 * The rotation as the spec wants it now: back to the old sponsor, on to the new one after all, or in a hurry. The same object where the
 * spec asks for nothing else, and once the rotation has no way back.
 */
export function steered(rotation: Rotation, spec: ChannelPool['spec'], now: number): Rotation {
  if (!isUnderWay(rotation) || hasNoWayBack(rotation)) return rotation
  const wanted = spec.sponsor
  if (rotation.phase === 'Checking') return steeredAtFirst(rotation, spec, now)
  const wantsNew = sameSponsorSource(wanted, rotation.to.source)
  if (rotation.aborting) return wantsNew ? onAfterAll(rotation, now) : rotation
  if (!wantsNew) return back(rotation, now)
  if (spec.rotation.mode === rotation.mode) return rotation
  if (spec.rotation.mode === 'Planned') return rotation
  const message = 'The seed of the old sponsor may be known to others: its funds go first.'
  return inPhase({ ...rotation, mode: 'Emergency' }, 'Rescuing', { now, message })
}

/** Nothing has been done for the new sponsor yet. */
function steeredAtFirst(
  rotation: Rotation,
  { sponsor, rotation: { mode } }: ChannelPool['spec'],
  now: number,
) {
  if (sameSponsorSource(sponsor, rotation.from.source)) {
    const message = 'The spec names the old Secret again, before anything was changed.'
    return inPhase({ ...rotation, aborting: true }, 'Aborted', { now, message })
  }
  if (sameSponsorSource(sponsor, rotation.to.source)) {
    return mode === rotation.mode ? rotation : { ...rotation, mode }
  }
  const message = 'The spec names another new Secret: its sponsor is checked.'
  const to = { source: sponsor }
  return inPhase({ ...rotation, mode, to }, 'Checking', { now, message })
}

/** Pods that already serve the new sponsor come back first; where none does, they only lose its seed. */
function back(rotation: Rotation, now: number): Rotation {
  const aborting = { ...rotation, aborting: true, serving: 'From' as const }
  const message =
    'The spec names another Secret than that of the new sponsor: the pool goes back to the old one.'
  return inPhase(aborting, rotation.serving === 'To' ? 'Moving' : 'Unmounting', { now, message })
}

/** Pods may still accept what buyers signed for the new sponsor: then they must not lose its seed. */
function onAfterAll(rotation: Rotation, now: number): Rotation {
  const message = 'The spec names the Secret of the new sponsor again: the pool goes on.'
  const mayHaveServed = rotation.phase !== 'Unmounting'
  return inPhase({ ...rotation, aborting: false }, mayHaveServed ? 'Introducing' : 'Provisioning', {
    now,
    message,
  })
}
