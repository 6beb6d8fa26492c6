import { type SteadyClock, systemClock } from '../../platform/core/time/clock.ts'
import type { DeliveryStore } from './delivery-store.ts'

/** What delivering once has in common over HTTP and for tools. */
export interface ClaimOptions {
  /** What all processes of the server share. */
  readonly store: DeliveryStore
  /**
   * The name of this server, or of one of its hosts, among those that use the store: letters, digits, hyphens, underscores
   * and dots.
   */
  readonly scope: string
  /**
   * How long an answer is kept, and an id belongs to its payment. Longer than any payment is valid, which is a matter of
   * minutes, and than `maxHandlerMs` and `claimMs` together. @default one day
   */
  readonly keepMs?: number
  /** How long a repeat waits for the answer to the first request. @default 30 seconds */
  readonly waitMs?: number
  /** How many repeats of one payment may wait in this process. @default 32 */
  readonly maxWaiting?: number
  /**
   * How long after the end of a process another one serves the request that the first was serving; a running process renews
   * its lease three times as often. @default 30 seconds
   */
  readonly claimMs?: number
  /** A lease is renewed for at most this time: a handler may never answer. @default 10 minutes */
  readonly maxHandlerMs?: number
  /** Is told of a store or a facilitator that failed, where no buyer is. @default nothing */
  readonly onError?: (error: unknown) => void
  /** @default the system's */
  readonly clock?: SteadyClock
}

/** A store that does not answer within this time is not available. */
export const STORE_MS = 5_000

export type ClaimSettings = Required<ClaimOptions>

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** @throws RangeError for a scope that is no name, or a `keepMs` in which a handler may not end */
export function claimSettings(options: ClaimOptions): ClaimSettings {
  if (!/^[\w.-]{1,64}$/.test(options.scope)) {
    throw new RangeError('scope must be 1 to 64 letters, digits, hyphens, underscores and dots.')
  }
  const settings: ClaimSettings = {
    keepMs: 24 * 60 * MINUTE,
    waitMs: 30 * SECOND,
    maxWaiting: 32,
    claimMs: 30 * SECOND,
    maxHandlerMs: 10 * MINUTE,
    clock: systemClock,
    ...options,
    onError: (error) => {
      try {
        options.onError?.(error)
      } catch {
        // Whom to tell is not known, and no request may fail of it.
      }
    },
  }
  if (settings.keepMs <= settings.maxHandlerMs + settings.claimMs) {
    throw new RangeError('keepMs must be longer than maxHandlerMs and claimMs together.')
  }
  return settings
}
