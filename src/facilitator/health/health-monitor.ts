import type { Clock } from '../../core/clock.ts'
import { isoTime } from '../../core/iso-time.ts'
import type { ServedNetwork } from '../served-network.ts'
import { NetworkVitals, type VitalsOptions } from './network-vitals.ts'
import type { HealthSnapshot } from './schema.ts'
import { healthSnapshot } from './snapshot.ts'

export interface HealthMonitorOptions extends VitalsOptions {
  readonly networks: readonly ServedNetwork[]
  /** Of the build. */
  readonly version: string
  readonly clock: Clock
  readonly everyMs: number
  readonly signal: AbortSignal
  /** Told of each new snapshot. */
  readonly onPolled?: (snapshot: HealthSnapshot) => void
}

interface Watched {
  readonly network: ServedNetwork
  readonly vitals: NetworkVitals
}

/**
 * Polls the networks and the store in the background, and keeps ready what `/health` answers. Who asks
 * gets the last snapshot, and waits for nothing.
 */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions
  readonly #watched: readonly Watched[]
  #json: string

  constructor(options: HealthMonitorOptions) {
    this.#options = options
    this.#watched = options.networks.map((network) => ({
      network,
      vitals: new NetworkVitals(network, options),
    }))
    this.#json = JSON.stringify(this.#snapshot(null))
  }

  /** The last snapshot as JSON. */
  get json(): string {
    return this.#json
  }

  /** Begins to poll, in the background, until the signal aborts. */
  start(): void {
    void this.#run()
  }

  /** Reads everything and makes a snapshot of it. Takes no longer than a reading may. */
  async poll(): Promise<void> {
    await this.#read(({ network, vitals }) =>
      Promise.all([network.monitor.refresh(), vitals.refresh(this.#options.signal)]),
    )
  }

  async #run(): Promise<void> {
    const { clock, everyMs, signal } = this.#options
    let polledAt = clock.now()
    // What payments need was read when the networks were opened.
    await this.#read(({ vitals }) => vitals.refresh(signal))
    while (!signal.aborted) {
      const restMs = Math.max(0, polledAt + everyMs - clock.now())
      await clock.sleep(restMs, signal).catch(() => undefined)
      polledAt = clock.now()
      if (!signal.aborted) await this.poll()
    }
  }

  async #read(read: (watched: Watched) => Promise<unknown>): Promise<void> {
    const { clock, signal, onPolled } = this.#options
    await Promise.all(this.#watched.map(read))
    if (signal.aborted) return
    const snapshot = this.#snapshot(isoTime(clock.now()))
    this.#json = JSON.stringify(snapshot)
    onPolled?.(snapshot)
  }

  #snapshot(checkedAt: string | null): HealthSnapshot {
    const facts = this.#watched.map(({ vitals }) => vitals.facts)
    return healthSnapshot(facts, { version: this.#options.version, checkedAt })
  }
}
