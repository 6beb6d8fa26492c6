/** The ledger an answer was given at; some answers lack the close time. */
export interface AnswerLedger {
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime?: number | undefined
}

export interface KnownLedger extends AnswerLedger {
  /** The endpoint that reported it. */
  readonly from: unknown
  /** Monotonic, in milliseconds. */
  readonly observedAt: number
}

/** Ledgers by which a network may be ahead of one ledger a second: several that were closed by hand. */
export const MAX_LEAD_LEDGERS = 12
/**
 * Close times may be ahead of the time that passed by this much: the first answer may come from an endpoint that lags, and
 * clocks drift. With one ledger in five seconds, honest endpoints catch up with a false one in minutes.
 */
export const MAX_LEAD_SECONDS = 180

const secondsBetween = (earlier: KnownLedger, later: KnownLedger): number =>
  (later.observedAt - earlier.observedAt) / 1_000

/** Whether the number may be reached, by one ledger a second of local time or of close times, whichever are more. */
export function mayFollow(earlier: KnownLedger, later: KnownLedger): boolean {
  const { closeTime } = later
  // The first ledger with a close time: as the first of all, it has none to be compared with.
  if (earlier.closeTime === undefined && closeTime !== undefined) return true
  const lead = later.sequence - earlier.sequence
  const byLedgers = (closeTime ?? 0) - (earlier.closeTime ?? closeTime ?? 0)
  if (lead > 0 && closeTime !== undefined && byLedgers < 0) return false
  return lead <= Math.max(0, secondsBetween(earlier, later), byLedgers) + MAX_LEAD_LEDGERS
}

/**
 * Whether no more time lies between the close times than passed here. A network that is not ahead of the wall clock is in time
 * too: the earlier ledger may be of an endpoint that lagged.
 */
export function isInTime(earlier: KnownLedger, later: KnownLedger, wallMs: number): boolean {
  if (earlier.closeTime === undefined || later.closeTime === undefined) return true
  const expected = Math.max(earlier.closeTime + secondsBetween(earlier, later), wallMs / 1_000)
  return later.closeTime <= expected + MAX_LEAD_SECONDS
}

/** Whether two ledgers with close times can be of one history of the network, whichever was observed first. */
export function areOfOneHistory(one: KnownLedger, other: KnownLedger): boolean {
  const [low, high] = one.sequence <= other.sequence ? [one, other] : [other, one]
  const byLedgers = (high.closeTime ?? 0) - (low.closeTime ?? 0)
  const passed = Math.abs(secondsBetween(one, other))
  return (
    byLedgers >= 0 &&
    byLedgers <= passed + MAX_LEAD_SECONDS &&
    high.sequence - low.sequence <= byLedgers + MAX_LEAD_LEDGERS
  )
}
