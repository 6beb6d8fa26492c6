import type { Clock } from '../../platform/core/time/clock.ts'
import { TimeLimitExceeded, withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { RpcError, type StellarRpc } from '../rpc/rpc.ts'
import { readTokenMetadata, type TokenMetadata } from './token-contract.ts'

/** The three calls together. A token answers in milliseconds; its author decides how long. */
const LIMIT_MS = 3_000
/** One token in this time, in each process. */
const EVERY_MS = 10_000
/** Between two tokens that wait: each finds its turn free, though loops look for it some seconds late. */
const LINE_STEP_MS = 20_000
const FIRST_PAUSE_MS = 60 * 60_000
const LONGEST_PAUSE_MS = 30 * 24 * FIRST_PAUSE_MS

export type TokenReading =
  /** All that a token has to say. */
  | { readonly kind: 'complete'; readonly metadata: TokenMetadata }
  /** It lacks something, and is not asked for the rest. */
  | { readonly kind: 'partial'; readonly metadata: TokenMetadata }
  /** No answer in time. */
  | { readonly kind: 'failed'; readonly error: Error }
  /** Others are before it. */
  | { readonly kind: 'later'; readonly afterMs: number }

/**
 * Reads what token contracts say of themselves. Their code is a stranger's, and the endpoint that runs it serves payments too: so tokens
 * are read one after the other, at most six a minute, none longer than three seconds.
 */
export class TokenReader {
  readonly #clock: Clock
  #nextAt = 0
  #lineEndsAt = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws the signal's reason when it aborts. */
  async read(
    rpc: Pick<StellarRpc, 'simulate'>,
    contract: string,
    signal: AbortSignal,
  ): Promise<TokenReading> {
    const now = this.#clock.now()
    if (now < this.#nextAt) {
      const turn = Math.max(this.#lineEndsAt, this.#nextAt)
      this.#lineEndsAt = turn + LINE_STEP_MS
      return { kind: 'later', afterMs: turn - now }
    }
    this.#nextAt = now + EVERY_MS
    try {
      const metadata = await withTimeLimit(
        { clock: this.#clock, ms: LIMIT_MS, signal },
        (limited) => readTokenMetadata(rpc, contract, limited),
      )
      return { kind: isComplete(metadata) ? 'complete' : 'partial', metadata }
    } catch (error) {
      const isItsOwn = error instanceof RpcError || error instanceof TimeLimitExceeded
      if (signal.aborted || !isItsOwn) throw error
      return { kind: 'failed', error }
    }
  }
}

const isComplete = ({ symbol, name, decimals }: TokenMetadata): boolean =>
  symbol !== undefined && name !== undefined && decimals !== undefined

/**
 * How long a token is left alone that did not say all: an hour, then four times as long each time, up to 30 days.
 *
 * @param failures in a row, from 1
 */
export const tokenPauseMs = (failures: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 4 ** Math.min(failures - 1, 10))
