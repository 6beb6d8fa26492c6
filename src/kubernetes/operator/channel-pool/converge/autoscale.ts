/** How the pool was used lately, over all replicas. */
export interface PoolUse {
  /** 95th percentile of the wait for a channel, settlements of the last two minutes; undefined without any. */
  readonly leaseWaitP95Ms: number | undefined
  /** Channels in use now. */
  readonly inUse: number
  /** Channels that settlements can lease now. */
  readonly active: number
}

export interface AutoscaleRule {
  readonly min: number
  readonly max: number
  readonly targetLeaseWaitMs: number
}

/** Kept from one decision to the next, in the resource's status. */
export interface AutoscaleState {
  readonly channels: number
  /** Unix ms of the last change. */
  readonly changedAt: number
  /** Unix ms since when a smaller pool would have been enough; undefined while it would not. */
  readonly idleSince?: number | undefined
}

const GROWTH_FACTOR = 1.5
/** So that the next decision sees the effect of the last growth. */
const PAUSE_AFTER_GROWTH_MS = 60_000
const SHRINK_FACTOR = 0.8
const IDLE_BEFORE_SHRINK_MS = 10 * 60_000
/** Waits below this share of the target allow shrinking; between the two nothing changes. */
const IDLE_WAIT_SHARE = 0.25
/** At most half of the smaller pool may be in use: otherwise it would soon have to grow again. */
const HEADROOM = 2

/**
 * How many channels the pool should have: at first as many as it has, within the bounds. It grows by half, at most once a minute, while settlements wait
 * longer than the target. It shrinks by a fifth after ten minutes in which settlements waited less than a
 * quarter of the target and used at most half of the smaller pool.
 */
export function autoscale(
  { min, max, targetLeaseWaitMs }: AutoscaleRule,
  { leaseWaitP95Ms = 0, inUse, active }: PoolUse,
  before: AutoscaleState | undefined,
  now: number,
): AutoscaleState {
  const within = (count: number) => Math.min(max, Math.max(min, count))
  if (!before) return { channels: within(active), changedAt: now }
  const { channels, changedAt, idleSince } = before
  const bounded = within(channels)
  if (bounded !== channels) return { channels: bounded, changedAt: now }

  if (leaseWaitP95Ms > targetLeaseWaitMs) {
    const grown = within(Math.ceil(channels * GROWTH_FACTOR))
    const isPaused = now - changedAt < PAUSE_AFTER_GROWTH_MS
    return isPaused || grown === channels
      ? { channels, changedAt }
      : { channels: grown, changedAt: now }
  }
  const shrunk = within(Math.floor(channels * SHRINK_FACTOR))
  const isIdle = leaseWaitP95Ms <= targetLeaseWaitMs * IDLE_WAIT_SHARE && inUse * HEADROOM <= shrunk
  if (!isIdle || shrunk === channels) return { channels, changedAt }
  if (idleSince === undefined) return { channels, changedAt, idleSince: now }
  return now - idleSince < IDLE_BEFORE_SHRINK_MS
    ? { channels, changedAt, idleSince }
    : { channels: shrunk, changedAt: now }
}
