/**
 * Times of the election of the operator's leader. An API server may be down for 20 s, as while it is upgraded, before
 * the leader exits; five renewals fail before that. Another one leads 10 s later, which is more than clocks and pauses
 * of a process differ by. Changed together: a lease outlives the deadline, and that outlives several renewals.
 */
export const electionTimes = {
  /** A lease is valid for this long after its last renewal. */
  durationMs: 30_000,
  /** A leader exits when it could not renew its lease for this long. */
  renewDeadlineMs: 20_000,
  /** How often a leader renews its lease. */
  renewMs: 4_000,
} as const
