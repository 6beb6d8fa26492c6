import { type SteadyClock, systemClock } from '../../platform/core/time/clock.ts'
import type { DeliveryStore } from './delivery-store.ts'

export interface DeliveryOptions {
  /** What all processes of the server share. */
  readonly store: DeliveryStore
  /**
   * The name of this server, or of one of its hosts, among those that use the store: letters, digits, hyphens, underscores
   * and dots.
   */
  readonly scope: string
  /** Whether a payment without an id is answered 400. Say it in the offer too. @default false */
  readonly idRequired?: boolean
  /**
   * How long an answer is kept, and an id belongs to its payment. Longer than any payment is valid, which is a matter of
   * minutes. @default one day
   */
  readonly keepMs?: number
  /** A larger answer is sent, and only its receipt is kept. @default 256 KiB */
  readonly maxAnswerBytes?: number
  /** A paid request with a larger body is answered 413. @default 1 MiB */
  readonly maxRequestBytes?: number
  /** How long a repeat waits for the answer to the first request. @default 30 seconds */
  readonly waitMs?: number
  /** How many repeats of one payment may wait in this process. @default 32 */
  readonly maxWaiting?: number
  /**
   * How long after the end of a process another one serves the request that the first was serving; a running process renews
   * its claim three times as often. @default 30 seconds
   */
  readonly claimMs?: number
  /** A claim is renewed for at most this time: a handler may never answer. @default 10 minutes */
  readonly maxHandlerMs?: number
  /** Is told of a store that failed after the payment was settled; the buyer has the answer all the same. @default nothing */
  readonly onError?: (error: unknown) => void
  /** @default the system's */
  readonly clock?: SteadyClock
}

export type DeliverySettings = Required<DeliveryOptions>

const SECOND = 1_000
const MINUTE = 60 * SECOND
const KIBIBYTE = 1_024

/** @throws RangeError for a scope that could be part of another's keys */
export function settingsOf(options: DeliveryOptions): DeliverySettings {
  if (!/^[\w.-]{1,64}$/.test(options.scope)) {
    throw new RangeError('scope must be 1 to 64 letters, digits, hyphens, underscores and dots.')
  }
  return {
    idRequired: false,
    keepMs: 24 * 60 * MINUTE,
    maxAnswerBytes: 256 * KIBIBYTE,
    maxRequestBytes: KIBIBYTE * KIBIBYTE,
    waitMs: 30 * SECOND,
    maxWaiting: 32,
    claimMs: 30 * SECOND,
    maxHandlerMs: 10 * MINUTE,
    onError: () => undefined,
    clock: systemClock,
    ...options,
  }
}
