import type { RotationPhase } from '../../../payments/channels/rotation/phase-names.ts'
import type { SponsorSource } from '../../crd/channel-pool/sponsor-source.ts'
import type { ChannelPool } from '../../crd/channel-pool.ts'

/** `status.rotation`: all that a rotation knows of itself. A pass that was interrupted begins again from it. */
export type Rotation = NonNullable<NonNullable<ChannelPool['status']>['rotation']>
export type RotationSide = 'from' | 'to'

/** One that has not ended. */
type UnderWay = Rotation & { readonly phase: Exclude<RotationPhase, 'Done' | 'Aborted'> }

export const isUnderWay = (rotation: Rotation | undefined): rotation is UnderWay =>
  rotation !== undefined && rotation.phase !== 'Done' && rotation.phase !== 'Aborted'

/** The source of the sponsor whose channels the pods use. Never decided by the spec alone: its change only begins a rotation. */
export const sponsorInUse = ({
  spec,
  status,
}: {
  readonly spec: Pick<ChannelPool['spec'], 'sponsor'>
  readonly status?: ChannelPool['status']
}): SponsorSource => status?.sponsor?.source ?? spec.sponsor

/** The sponsor whose channels the pods use. */
export const servingSide = ({ serving }: Pick<Rotation, 'serving'>): RotationSide =>
  serving === 'From' ? 'from' : 'to'

/** The sponsor that ends without channels: the old one, or the new one of a rotation that goes back. */
export const leavingSide = ({ aborting }: Pick<Rotation, 'aborting'>): RotationSide =>
  aborting ? 'to' : 'from'

export const otherSide = (side: RotationSide): RotationSide => (side === 'from' ? 'to' : 'from')

/** Once an account was merged, or the funds of a leaked sponsor were sent, there is no way back. */
export const hasNoWayBack = ({ phase, mode }: Pick<Rotation, 'phase' | 'mode'>): boolean =>
  phase === 'Retiring' || phase === 'Sweeping' || (mode === 'Emergency' && phase !== 'Checking')

/** Whether the pool manages both sponsors and both Secrets have to stay: from the first transaction for the new sponsor on. */
export const hasBothSponsors = (rotation: Rotation | undefined): rotation is UnderWay =>
  isUnderWay(rotation) && rotation.phase !== 'Checking'

/** Whether others may know the seed of the old sponsor: what its merges free is the new one's. */
export const isLeaking = (rotation: Rotation | undefined): boolean =>
  rotation?.mode === 'Emergency' && hasBothSponsors(rotation)

/** The sources of the sponsors that the pool manages, or is to manage. */
export const sourcesOf = ({
  spec,
  status,
}: Pick<ChannelPool, 'spec' | 'status'>): readonly SponsorSource[] => {
  const { sponsor, rotation } = status ?? {}
  return [
    spec.sponsor,
    ...(sponsor?.source ? [sponsor.source] : []),
    // After a rotation has ended, its Secrets may be deleted.
    ...(isUnderWay(rotation) ? [rotation.from.source, rotation.to.source] : []),
  ]
}

interface SponsorToEmpty {
  readonly source: SponsorSource
  readonly beside?: string | undefined
  /** The sponsor that gets what merges free. @default this one */
  readonly rescueTo?: SponsorSource | undefined
}

/**
 * The sponsors whose channels the deletion of the pool merges: during a rotation both. The old one has none left once its funds are
 * sent, and its account may be gone.
 */
export function sponsorsToEmpty(
  pool: Pick<ChannelPool, 'spec' | 'status'>,
): readonly SponsorToEmpty[] {
  const rotation = pool.status?.rotation
  const inUse = { source: sponsorInUse(pool) }
  if (!hasBothSponsors(rotation) || rotation.phase === 'Sweeping') return [inUse]
  const { from, to } = rotation
  return [
    {
      source: from.source,
      beside: to.address,
      rescueTo: isLeaking(rotation) ? to.source : undefined,
    },
    { source: to.source, beside: from.address },
  ]
}
