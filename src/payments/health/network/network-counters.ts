import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { HourCountKind, HourCountRow } from '../../store/hour-counts.ts'
import { leaseWaitKind } from '../../store/lease-waits.ts'
import { LeaseWaits } from './lease-waits.ts'

/** Counts in memory, for `/health`, events of payments of one network that leave no row in the store. */
export class NetworkCounters {
  readonly leaseWaits: LeaseWaits
  readonly #network: NetworkId
  readonly #counts = new Map<HourCountKind, number>()

  constructor(network: NetworkId, clock: Clock) {
    this.#network = network
    this.leaseWaits = new LeaseWaits(clock)
  }

  count(kind: HourCountKind, times = 1): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + times)
  }

  /** A settlement got a channel, or a refusal, after `ms`. */
  leaseWaited(ms: number): void {
    this.leaseWaits.add(ms)
    this.count(leaseWaitKind(ms))
  }

  /** Returns the counts and sets them to 0. A caller that fails to write them counts them again. */
  drain(): readonly HourCountRow[] {
    const rows = [...this.#counts].map(([kind, count]) => ({ network: this.#network, kind, count }))
    this.#counts.clear()
    return rows
  }
}
