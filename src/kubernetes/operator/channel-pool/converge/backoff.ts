import type { Applied } from '../../../../payments/channels/converge/apply.ts'
import type { AccountState } from '../../../../stellar/rpc/rpc.ts'

const FIRST_SEND_MS = 60_000
const MAX_SEND_MS = 60 * 60_000
const FIRST_LOOK_MS = 10_000
const MAX_LOOK_MS = 60_000

interface PoolHistory {
  /** Passes in a row in which the sponsor could not pay. */
  readonly shortPasses: number
  /** The transaction that the network refused last, until one succeeds. */
  readonly refused?: {
    readonly times: number
    /** Unix ms. */
    readonly until: number
    /** The sponsor's balance at the time. */
    readonly balance: bigint
    readonly message: string
  }
}

/**
 * How long a pool waits whose sponsor cannot pay. To look again costs nothing: after 10 s, later up to a minute. A transaction that the
 * network refused costs a fee each time: it is sent again after a minute, later up to an hour, or once the sponsor has received XLM.
 * In memory: after a change of leadership one more transaction may be refused.
 */
export class PoolBackoff {
  readonly #pools = new Map<string, PoolHistory>()

  /** Why no transaction is to be sent now; undefined when one may be. @param uid of the pool */
  heldBack(uid: string, { balance }: AccountState, now: number): string | undefined {
    const refused = this.#pools.get(uid)?.refused
    if (!refused || now >= refused.until || balance > refused.balance) return undefined
    return refused.message
  }

  noteRefused(uid: string, { balance }: AccountState, message: string, now: number): void {
    const before = this.#pools.get(uid)
    const times = (before?.refused?.times ?? 0) + 1
    const until = now + Math.min(MAX_SEND_MS, FIRST_SEND_MS * 2 ** (times - 1))
    this.#pools.set(uid, {
      shortPasses: before?.shortPasses ?? 0,
      refused: { times, until, balance, message },
    })
  }

  /** Milliseconds until the pool looks again after this result; undefined when the sponsor could pay. */
  afterPass(uid: string, { kind }: Applied): number | undefined {
    const before = this.#pools.get(uid)
    if (kind === 'short') {
      const shortPasses = (before?.shortPasses ?? 0) + 1
      this.#pools.set(uid, { ...before, shortPasses })
      return Math.min(MAX_LOOK_MS, FIRST_LOOK_MS * 2 ** (shortPasses - 1))
    }
    const isOver = kind === 'created' || kind === 'merged' || kind === 'unchanged'
    if (isOver) this.#pools.delete(uid)
    return undefined
  }

  /** @param uid of a pool that is gone, with the sponsors that it had before (`uid/SOURCE`) */
  forget(uid: string): void {
    for (const key of this.#pools.keys()) {
      if (key === uid || key.startsWith(`${uid}/`)) this.#pools.delete(key)
    }
  }
}
