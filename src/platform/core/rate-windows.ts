/**
 * Request counts that all replicas share, one window of a minute per client. A replica does not send a
 * request for each of its callers: the answer also grants an allowance of further calls that the
 * replica may admit by itself, and its next request reports how many of those it used.
 *
 * The open allowances of one client never sum to more than the slack. So all replicas together admit
 * at most the limit plus the slack, however many they are, and none refuses a client before the
 * limit has been used up.
 */
export interface RateWindows {
  /** Takes requests for several clients, each named once; answers in their order. Throws when the store is away. */
  take(requests: readonly QuotaRequest[], limit: RateLimit): Promise<readonly QuotaAnswer[]>
}

export interface RateLimit {
  readonly perMinute: number
  /** How many calls all replicas together may admit without asking the store. */
  readonly slack: number
}

export interface QuotaRequest {
  readonly client: string
  /** The minute, as answered before, of `allowance` and `used`; absent: the current one. */
  readonly minute?: string | undefined
  /** The allowance of the last answer, which ends with this request. */
  readonly allowance: number
  /** Calls admitted since the last answer. */
  readonly used: number
  /** Calls that wait for this answer. */
  readonly waiting: number
}

export interface QuotaAnswer {
  /** Identifies the minute in the next request. */
  readonly minute: string
  readonly msLeft: number
  /** How many of the waiting calls may pass. */
  readonly admitted: number
  /** How many more may pass without another request. */
  readonly allowance: number
  /** Calls that all replicas have reported for this minute, `admitted` included. */
  readonly used: number
}
