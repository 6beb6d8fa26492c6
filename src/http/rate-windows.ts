/**
 * The counts that all replicas share, as the limiter needs them. A replica does not ask for every
 * request: with an answer it gets an allowance of further requests that it may let pass by itself,
 * and it tells what it made of that when it asks again.
 *
 * All allowances of a client that are out at one time are together at most the slack, so that all
 * replicas together let pass at most the limit and the slack, however many they are; and a client is
 * refused only once the limit has really been used.
 */
export interface RateWindows {
  /** Answers one for one. Throws when the counts cannot be reached. */
  take(asks: readonly RateAsk[], limit: RateLimit): Promise<readonly RateAnswer[]>
}

export interface RateLimit {
  readonly perMinute: number
  readonly slack: number
}

export interface RateAsk {
  readonly client: string
  /** The minute that `allowance` was given for and `used` was counted in; the current one when absent. */
  readonly minute?: string | undefined
  /** The allowance got with the last answer, which ends with this ask. */
  readonly allowance: number
  /** Requests let pass since the last answer. */
  readonly used: number
  /** Requests that wait for this answer. */
  readonly waiting: number
}

export interface RateAnswer {
  /** Names the minute, for the next ask. */
  readonly minute: string
  readonly msLeft: number
  /** How many of those that wait may pass. */
  readonly admitted: number
  /** How many more may pass without asking. */
  readonly allowance: number
  /** What all replicas have let pass in this minute, as far as they have told, `admitted` included. */
  readonly used: number
}
