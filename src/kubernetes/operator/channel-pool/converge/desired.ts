import { countChannelUse } from '../../../../payments/store/channels/count.ts'
import { readLeaseWaitP95Ms } from '../../../../payments/store/lease-waits.ts'
import { isoTime } from '../../../../platform/core/text/iso-time.ts'
import { leastChannels } from '../../../crd/channel-pool/spec.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import { durationMs } from '../../../crd/fields/duration.ts'
import { isUnderWay } from '../../references/rotation-state.ts'
import type { Connected } from '../connect/connect.ts'
import { type AutoscaleState, autoscale, type PoolUse } from './autoscale.ts'

type AutoscaleStatus = NonNullable<NonNullable<ChannelPool['status']>['autoscale']>

export interface DesiredPool {
  readonly channels: number
  /** The decision for the status, where the next decision reads it; absent without autoscale. */
  readonly autoscale?: AutoscaleStatus
}

/** How many channels the pool should have: as the spec says, or as autoscale decides from the pool's use. */
export async function desiredPool(
  { spec, status }: ChannelPool,
  connected: Connected,
  now: number,
): Promise<DesiredPool> {
  if (!spec.autoscale) return { channels: spec.channels }
  // Its measure is the use of one sponsor's channels: while the load moves to another, the number stays.
  if (isUnderWay(status?.rotation) && status.autoscale) {
    return { channels: status.autoscale.channels, autoscale: status.autoscale }
  }
  const { max, targetLeaseWait } = spec.autoscale
  const min = leastChannels(spec.autoscale)
  const rule = { min, max, targetLeaseWaitMs: durationMs(targetLeaseWait) }
  const use = await readUse(connected)
  const next = autoscale(rule, use, fromStatus(status?.autoscale), now)
  return { channels: next.channels, autoscale: toStatus(next) }
}

async function readUse({ network, sponsor, store }: Connected): Promise<PoolUse> {
  const [{ active, inUse }, leaseWaitP95Ms] = await Promise.all([
    countChannelUse(store.db, network, sponsor),
    readLeaseWaitP95Ms(store.db, network),
  ])
  return { leaseWaitP95Ms, inUse, active }
}

const fromStatus = (before: AutoscaleStatus | undefined): AutoscaleState | undefined =>
  before && {
    channels: before.channels,
    changedAt: Date.parse(before.changedAt),
    idleSince: before.idleSince === undefined ? undefined : Date.parse(before.idleSince),
  }

const toStatus = ({ channels, changedAt, idleSince }: AutoscaleState): AutoscaleStatus => ({
  channels,
  changedAt: isoTime(changedAt),
  ...(idleSince !== undefined && { idleSince: isoTime(idleSince) }),
})
