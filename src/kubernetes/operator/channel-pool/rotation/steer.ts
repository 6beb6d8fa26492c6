import { beginning, inPhase } from '../../../../payments/channels/rotation/phases.ts'
import { isoTime } from '../../../../platform/core/text/iso-time.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { SecretKey } from '../../../crd/fields/fields.ts'
import {
  hasNoWayBack,
  isSameSecret,
  isUnderWay,
  type Rotation,
  sponsorInUse,
} from '../../references/rotation-state.ts'

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
  | { readonly kind: 'rotate'; readonly rotation: Rotation }

/** How a rotation starts for a pool without one under way. */
export function startOf(pool: ChannelPool, { address, newAddress, now }: StartFacts): Start {
  const { spec, status } = pool
  const inUse = sponsorInUse(pool)
  if (isSameSecret(inUse, spec.sponsorSecretRef)) return { kind: 'none' }
  if (newAddress === address || !hasChannels(pool)) return { kind: 'switch' }
  const rotation: Rotation = {
    ...beginning({ mode: spec.rotation.mode, step: (status?.rotation?.step ?? 0) + 1, now }),
    from: { address, secretRef: refOf(inUse) },
    to: {
      ...(newAddress !== undefined && { address: newAddress }),
      secretRef: refOf(spec.sponsorSecretRef),
    },
    startedAt: isoTime(now),
  }
  return { kind: 'rotate', rotation }
}

/** Only an account on the ledger needs the seed of its sponsor. */
const hasChannels = ({ status }: Pick<ChannelPool, 'status'>): boolean =>
  (status?.channels?.accounts ?? 0) > 0

const refOf = ({ name, key }: SecretKey): SecretKey => ({ name, key })

/**
 * The rotation as the spec wants it now: back to the old sponsor, on to the new one after all, or in a hurry. The same object where the
 * spec asks for nothing else, and once the rotation has no way back.
 */
export function steered(rotation: Rotation, spec: ChannelPool['spec'], now: number): Rotation {
  if (!isUnderWay(rotation) || hasNoWayBack(rotation)) return rotation
  const wanted = spec.sponsorSecretRef
  if (rotation.phase === 'Checking') return steeredAtFirst(rotation, spec, now)
  const wantsNew = isSameSecret(wanted, rotation.to.secretRef)
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
  { sponsorSecretRef, rotation: { mode } }: ChannelPool['spec'],
  now: number,
) {
  if (isSameSecret(sponsorSecretRef, rotation.from.secretRef)) {
    const message = 'The spec names the old Secret again, before anything was changed.'
    return inPhase({ ...rotation, aborting: true }, 'Aborted', { now, message })
  }
  if (isSameSecret(sponsorSecretRef, rotation.to.secretRef)) {
    return mode === rotation.mode ? rotation : { ...rotation, mode }
  }
  const message = 'The spec names another new Secret: its sponsor is checked.'
  const to = { secretRef: refOf(sponsorSecretRef) }
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
