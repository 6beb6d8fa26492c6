import { Fault } from '../../../../platform/core/errors/faults.ts'
import type { Clock } from '../../../../platform/core/time/clock.ts'
import type { SimulationQueue } from '../../../../stellar/rpc/simulation-queue.ts'
import type { ErrorLimit } from '../limit.ts'
import { limitAt } from '../limits.ts'
import { FairPlaces, type MissedPlace, type PlaceRequest } from './fair-places.ts'

export interface SimulationTurnsOptions {
  readonly clock: Pick<Clock, 'sleep'>
  readonly onRefused: (limit: ErrorLimit) => void
}

/** A caller has 25 s in all, of which a settlement then needs a few for a channel and the ledger. */
const WAIT_MS = 5_000

/**
 * Simulations under way, of `/verify` and `/settle` together. Those of `simulate` take milliseconds; 200 are eight full batches,
 * more than an endpoint works on at once. In the others a stranger decides how long they take: the fewer are under way, the less
 * of the endpoint's processors they use. No more than an endpoint's queue sends side by side: in that queue callers are not told apart.
 */
const bounds: Readonly<Record<SimulationQueue, { places: number; maxWaiting: number }>> = {
  simulate: { places: 200, maxWaiting: 4_000 },
  simulate_contract: { places: 16, maxWaiting: 1_000 },
  simulate_large: { places: 4, maxWaiting: 100 },
}

/** The places for simulations of one network, which callers share in each queue. */
export class SimulationTurns {
  readonly #places: Readonly<Record<SimulationQueue, FairPlaces>>
  readonly #onRefused: SimulationTurnsOptions['onRefused']

  constructor({ clock, onRefused }: SimulationTurnsOptions) {
    const open = (queue: SimulationQueue) =>
      new FairPlaces({ ...bounds[queue], waitMs: WAIT_MS, clock })
    this.#places = {
      simulate: open('simulate'),
      simulate_contract: open('simulate_contract'),
      simulate_large: open('simulate_large'),
    }
    this.#onRefused = onRefused
  }

  /**
   * Runs the simulation when it is the caller's turn. Throws `Fault` when a limit refuses it, and the signal's reason when it
   * aborts before; a simulation that has begun goes on.
   */
  async run<T>(
    queue: SimulationQueue,
    request: PlaceRequest,
    simulate: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const taken = await this.#places[queue].take(request, signal)
    if (typeof taken === 'string') throw this.#refusal(taken)
    using _place = taken
    signal?.throwIfAborted()
    return await simulate()
  }

  #refusal(missed: MissedPlace): Error {
    const reached = limitAt('simulation', { missed })
    if (reached?.limit.effect !== 'error')
      return new Error(`no limit refuses a simulation: ${missed}`)
    const { limit } = reached
    this.#onRefused(limit)
    return new Fault(limit.fault, { reason: limit.message })
  }
}
