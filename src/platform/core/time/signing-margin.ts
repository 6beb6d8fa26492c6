/**
 * A transaction that a leader signs must expire this long before its lease does: the clocks of the ledger and of this
 * machine differ by up to a few seconds.
 */
export const SIGNING_MARGIN_SECONDS = 2
