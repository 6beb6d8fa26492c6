import { termsReportOf } from '../../diagnosis/problems/terms.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { isoTime } from '../../platform/core/text/iso-time.ts'
import { startBackgroundLoop } from '../../platform/core/time/background-loop.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { ServedNetwork } from '../engine/network/served-network.ts'
import type { TermsReport } from '../store/replica-heartbeats.ts'
import type { CatalogPoller } from './catalog/catalog-poller.ts'
import { NetworkPoller, type NetworkPollerOptions } from './network/network-poller.ts'
import type { HealthSnapshot } from './schema.ts'
import { healthSnapshot } from './snapshot.ts'

export interface HealthMonitorOptions extends Omit<NetworkPollerOptions, 'onError'> {
  readonly networks: readonly ServedNetwork[]
  /** Absent while the catalog is disabled. */
  readonly catalog?: Pick<CatalogPoller, 'refresh' | 'facts'> | undefined
  /** The version of the build. */
  readonly version: string
  readonly clock: Clock
  readonly everyMs: number
  readonly signal: AbortSignal
  readonly onError: (error: unknown, network?: ServedNetwork) => void
  /** Called with each new snapshot. */
  readonly onPolled?: (snapshot: HealthSnapshot) => void
}

interface MonitoredNetwork {
  readonly network: ServedNetwork
  readonly poller: NetworkPoller
}

/**
 * Polls the networks and the store in the background, and keeps the answer to `GET /health` ready: a
 * request gets the last snapshot without waiting.
 */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions
  readonly #networks: readonly MonitoredNetwork[]
  #latest: HealthSnapshot
  #json: string

  constructor(options: HealthMonitorOptions) {
    this.#options = options
    this.#networks = options.networks.map((network) => ({
      network,
      poller: new NetworkPoller(network, options),
    }))
    this.#latest = this.#snapshot(null)
    this.#json = JSON.stringify(this.#latest)
  }

  get latest(): HealthSnapshot {
    return this.#latest
  }

  /** The last snapshot as JSON. */
  get json(): string {
    return this.#json
  }

  /** The result of the last trial of a network's terms; undefined before the first. */
  termsOf(id: NetworkId): TermsReport | undefined {
    const found = this.#networks.find(({ network }) => network.id === id)
    return found && termsReportOf(found.poller.facts)
  }

  /** Polls in the background until the signal aborts. */
  start(): void {
    const { clock, everyMs, signal, onError } = this.#options
    let isFirst = true
    startBackgroundLoop({
      run: () => {
        if (!isFirst) return this.poll()
        isFirst = false
        // The networks were opened just now, which read what payments need.
        return this.#poll(({ poller }) => poller.refresh(signal))
      },
      pauseMs: (tookMs) => Math.max(0, everyMs - tookMs),
      clock,
      onError,
      signal,
    })
  }

  /** Reads everything and makes a snapshot, within the time limit of one read. */
  async poll(): Promise<void> {
    await this.#poll(({ network, poller }) =>
      Promise.all([network.monitor.refresh(), poller.refresh(this.#options.signal)]),
    )
  }

  async #poll(refresh: (monitored: MonitoredNetwork) => Promise<unknown>): Promise<void> {
    const { clock, signal, onPolled, catalog } = this.#options
    await Promise.all([...this.#networks.map(refresh), catalog?.refresh(signal)])
    if (signal.aborted) return
    const snapshot = this.#snapshot(isoTime(clock.now()))
    this.#latest = snapshot
    this.#json = JSON.stringify(snapshot)
    onPolled?.(snapshot)
  }

  #snapshot(checkedAt: string | null): HealthSnapshot {
    const facts = this.#networks.map(({ poller }) => poller.facts)
    const { version, catalog } = this.#options
    return healthSnapshot(facts, { version, checkedAt, catalog: catalog?.facts })
  }
}
