/**
 * What one reconcile came to. A reconcile that throws has failed; which of these that means is said
 * by `resultOfError`.
 */
export type Outcome =
  /** All is as it should be: nothing happens until something changes or the resync comes. */
  | { readonly kind: 'settled' }
  /** Not there yet, and nobody will tell when: look again after `afterMs`. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly because: string }
  /** Not possible until something that is watched changes. Reason and message are those of a condition. */
  | { readonly kind: 'stuck'; readonly reason: string; readonly message: string }
  /** It failed: tried again with the backoff of its class. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly retry: string }

export const settled: Outcome = { kind: 'settled' }

export const again = (afterMs: number, because: string): Outcome => ({
  kind: 'again',
  afterMs,
  because,
})

export const stuck = (reason: string, message: string): Outcome => ({
  kind: 'stuck',
  reason,
  message,
})

/** For failures that are not of Kubernetes: `retry` names one of the controller's backoff classes. */
export const failed = (error: unknown, retry: string): Outcome => ({ kind: 'failed', error, retry })
