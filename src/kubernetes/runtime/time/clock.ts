/** The source of time: a parameter of all code that waits or takes a timestamp, so that tests control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds since an arbitrary start, which changes of the system time do not affect. */
  monotonic(): number
  /** Resolves after `ms`; rejects as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
