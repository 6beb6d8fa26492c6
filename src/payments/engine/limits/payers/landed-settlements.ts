import type { Clock } from '../../../../platform/core/time/clock.ts'
import { undefinedWhenLate, withTimeLimit } from '../../../../platform/core/time/time-limit.ts'
import type { Store } from '../../../../platform/database/open.ts'
import { listSubmitted } from '../../../store/settlements/list-submitted.ts'
import type { Settlement } from '../../../store/settlements/settlement.ts'
import type { SettlementFollower } from '../../follow/settlement-follower.ts'
import type { ServedNetwork } from '../../network/served-network.ts'
import type { HeldAsset } from './payer-balances.ts'

/** A transaction found on the ledger is finished at once; longer only when store or network answer slowly. */
const FINISH_WITHIN_MS = 3_000
/** Bounds the memory; payers that reach their balance in one ledger are few. */
const MAX_REMEMBERED = 1_000

export interface LandedDeps {
  readonly store: Store
  readonly clock: Clock
  readonly follower: SettlementFollower
  readonly signal: AbortSignal
}

/**
 * Finishes the settlements of a payer that a balance includes already. Until then they count twice: as
 * unfinished, and as missing from the balance.
 */
export class LandedSettlements {
  readonly #deps: LandedDeps
  readonly #running = new Map<string, Promise<void>>()
  /** The ledger up to which this process has finished what landed, by payer and asset. */
  readonly #finishedUpTo = new Map<string, number>()

  constructor(deps: LandedDeps) {
    this.#deps = deps
  }

  /**
   * Finishes what is on the ledger up to `ledger`, in 3 s at most. Once per ledger: a transaction sent after
   * that ledger was read is in a later one. Throws `RpcError` when no endpoint answers.
   */
  finishUpTo(network: ServedNetwork, held: HeldAsset, ledger: number): Promise<void> {
    const id = `${network.id} ${held.payer} ${held.asset}`
    if ((this.#finishedUpTo.get(id) ?? 0) >= ledger) return Promise.resolve()
    const runId = `${id} ${ledger}`
    const running = this.#running.get(runId)
    if (running !== undefined) return running
    const { clock } = this.#deps
    const run = withTimeLimit({ clock, ms: FINISH_WITHIN_MS }, () =>
      this.#finish(network, held, ledger),
    )
      .then(() => {
        if (this.#finishedUpTo.size >= MAX_REMEMBERED) this.#finishedUpTo.clear()
        this.#finishedUpTo.set(id, ledger)
      })
      .catch(undefinedWhenLate)
      .finally(() => this.#running.delete(runId))
    this.#running.set(runId, run)
    return run
  }

  async #finish(network: ServedNetwork, held: HeldAsset, ledger: number): Promise<void> {
    const { db } = this.#deps.store
    const key = { network: network.id, payer: held.payer }
    const submitted = await listSubmitted(db, key, held.asset)
    await Promise.all(submitted.map((each) => this.#finishIfLanded(network, each, ledger)))
  }

  async #finishIfLanded(
    network: ServedNetwork,
    settlement: Settlement,
    ledger: number,
  ): Promise<void> {
    const { follower, signal } = this.#deps
    const { recorded } = settlement
    if (!recorded || recorded.recordedAtLedger >= ledger) return
    const status = await network.rpc.transaction(recorded.txHash, signal)
    if (status.status === 'NOT_FOUND' || status.ledger > ledger) return
    await follower.follow(network, { ...settlement, recorded })
  }
}
