import type { NetworkId } from '../../core/caip2.ts'
import type { Clock } from '../../core/clock.ts'
import type { HourCountKind, HourCountRow } from '../../store/hour-counts.ts'
import { leaseWaitKind } from '../../store/lease-waits.ts'
import { LeaseWaits } from './lease-waits.ts'

/** What the payments of one network leave behind for `/health`; noting it costs them no wait. */
export class NetworkTally {
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

  /** A settlement asked for a channel and had an answer after so many ms. */
  waited(ms: number): void {
    this.leaseWaits.add(ms)
    this.count(leaseWaitKind(ms))
  }

  /** What was counted since it was taken last; whoever takes it writes it down, or counts it again. */
  take(): readonly HourCountRow[] {
    const rows = [...this.#counts].map(([kind, count]) => ({ network: this.#network, kind, count }))
    this.#counts.clear()
    return rows
  }
}
