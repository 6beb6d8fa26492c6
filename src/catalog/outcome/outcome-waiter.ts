import { type SettlementKey, settlementId } from '../../payments/store/settlements/settlement.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import type { Store } from '../../platform/database/open.ts'
import { type DeclarationState, readDeclarationStates } from '../store/outcomes.ts'

export interface OutcomeWaiterOptions {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  /** The store could not be read: all that wait are answered as waiting. */
  readonly onError: (error: unknown) => void
  /** Ends every wait. */
  readonly signal: AbortSignal
}

/** Time from the answer of a statement to the next; recording a declaration takes a catalog process about as long. */
const POLL_MS = 75
/** Leaves time for the answer within the 2 s that a settlement waits for the catalog. */
const WAIT_MS = 1_900

interface Waiting {
  readonly key: SettlementKey
  readonly promise: Promise<DeclarationState>
  readonly resolve: (state: DeclarationState) => void
}

/**
 * Waits until catalog processes have recorded declarations of settlements. However many requests wait, this process
 * has one statement under way, and none while no request waits.
 */
export class OutcomeWaiter {
  readonly #options: OutcomeWaiterOptions
  readonly #waiting = new Set<Waiting>()
  #isPolling = false

  constructor(options: OutcomeWaiterOptions) {
    this.#options = options
  }

  /** Resolves with `waiting` when the declaration is not recorded within 1.9 s; never rejects. */
  async wait(key: SettlementKey): Promise<DeclarationState> {
    const { clock, signal } = this.#options
    const waiting: Waiting = { key, ...Promise.withResolvers<DeclarationState>() }
    this.#waiting.add(waiting)
    if (!this.#isPolling) void this.#poll()
    try {
      return await withTimeLimit({ clock, ms: WAIT_MS, signal }, () => waiting.promise)
    } catch {
      return { kind: 'waiting' }
    } finally {
      this.#waiting.delete(waiting)
    }
  }

  /** Never rejects. */
  async #poll(): Promise<void> {
    const { clock, signal, onError } = this.#options
    this.#isPolling = true
    while (this.#waiting.size > 0 && !signal.aborted) {
      const asked = [...this.#waiting]
      await this.#read(asked).catch((error: unknown) => {
        onError(error)
        for (const waiting of asked) this.#end(waiting, { kind: 'waiting' })
      })
      if (this.#waiting.size > 0) await clock.sleep(POLL_MS, signal).catch(() => undefined)
    }
    this.#isPolling = false
  }

  async #read(asked: readonly Waiting[]): Promise<void> {
    const byId = Map.groupBy(asked, ({ key }) => settlementId(key))
    const requests = [...byId.values()]
    const keys = requests.flatMap(([first]) => first?.key ?? [])
    const states = await readDeclarationStates(this.#options.store.db, keys)
    for (const [place, same] of requests.entries()) {
      const state = states[place]
      if (!state || state.kind === 'waiting') continue
      for (const waiting of same) this.#end(waiting, state)
    }
  }

  #end(waiting: Waiting, state: DeclarationState): void {
    this.#waiting.delete(waiting)
    waiting.resolve(state)
  }
}
