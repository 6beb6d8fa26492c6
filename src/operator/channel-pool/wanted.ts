import type { ChannelPool } from '../../api/channel-pool.ts'
import { durationMs } from '../../api/duration.ts'
import { isoTime } from '../../core/iso-time.ts'
import { type AutoscaleMemory, autoscale, type PoolUse } from './autoscale.ts'

type Autoscaled = NonNullable<NonNullable<ChannelPool['status']>['autoscale']>

export interface Wanted {
  readonly channels: number
  /** What the next decision starts from; absent without autoscale. */
  readonly autoscale?: Autoscaled
}

/** How many channels the spec asks for; by how the pool is used where it leaves that to the operator. */
export function wantedChannels({ spec, status }: ChannelPool, use: PoolUse, now: number): Wanted {
  if (!spec.autoscale) return { channels: spec.channels }
  const { min, max, targetLeaseWait } = spec.autoscale
  const rule = { min, max, targetLeaseWaitMs: durationMs(targetLeaseWait) }
  const next = autoscale(rule, use, remembered(status?.autoscale), now)
  return { channels: next.channels, autoscale: toStatus(next) }
}

const remembered = (before: Autoscaled | undefined): AutoscaleMemory | undefined =>
  before && {
    channels: before.channels,
    changedAt: Date.parse(before.changedAt),
    idleSince: before.idleSince === undefined ? undefined : Date.parse(before.idleSince),
  }

const toStatus = ({ channels, changedAt, idleSince }: AutoscaleMemory): Autoscaled => ({
  channels,
  changedAt: isoTime(changedAt),
  ...(idleSince !== undefined && { idleSince: isoTime(idleSince) }),
})
