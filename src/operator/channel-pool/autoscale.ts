/** How the pool was used of late, over all replicas. */
export interface PoolUse {
  /** 95 % of the settlements of the last two minutes had a channel within so many ms; absent: none asked. */
  readonly leaseWaitP95Ms: number | undefined
  /** Channels in use when looked at. */
  readonly inUse: number
}

export interface AutoscaleRule {
  readonly min: number
  readonly max: number
  readonly targetLeaseWaitMs: number
}

/** What is remembered from one decision to the next; lives in the resource's status. */
export interface AutoscaleMemory {
  readonly channels: number
  /** Unix ms of the last change. */
  readonly changedAt: number
  /** Unix ms since when fewer would have done; absent while they would not. */
  readonly idleSince?: number | undefined
}

const GROWTH = 1.5
const PAUSE_AFTER_GROWTH_MS = 60_000
const SHRINK_TO = 0.8
const IDLE_FOR_MS = 10 * 60_000
/** Waits well below the target are no reason to keep channels; in between, nothing is changed. */
const CALM = 0.25
/** Of the smaller pool at most half may be in use, or it would have to grow again at once. */
const HEADROOM = 2

/**
 * How many channels there shall be. Grows by half when settlements wait longer than they shall, once
 * a minute, so that a growth is felt before the next; shrinks by a fifth after ten minutes in which
 * nobody waited and half the smaller pool would have done.
 */
export function autoscale(
  { min, max, targetLeaseWaitMs }: AutoscaleRule,
  { leaseWaitP95Ms = 0, inUse }: PoolUse,
  before: AutoscaleMemory | undefined,
  now: number,
): AutoscaleMemory {
  const within = (count: number) => Math.min(max, Math.max(min, count))
  if (!before) return { channels: min, changedAt: now }
  const { channels, changedAt, idleSince } = before
  const bounded = within(channels)
  if (bounded !== channels) return { channels: bounded, changedAt: now }

  if (leaseWaitP95Ms > targetLeaseWaitMs) {
    const grown = within(Math.ceil(channels * GROWTH))
    const isPaused = now - changedAt < PAUSE_AFTER_GROWTH_MS
    return isPaused || grown === channels
      ? { channels, changedAt }
      : { channels: grown, changedAt: now }
  }
  const shrunk = within(Math.floor(channels * SHRINK_TO))
  const isCalm = leaseWaitP95Ms <= targetLeaseWaitMs * CALM && inUse * HEADROOM <= shrunk
  if (!isCalm || shrunk === channels) return { channels, changedAt }
  if (idleSince === undefined) return { channels, changedAt, idleSince: now }
  return now - idleSince < IDLE_FOR_MS
    ? { channels, changedAt, idleSince }
    : { channels: shrunk, changedAt: now }
}
