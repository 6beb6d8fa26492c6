import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { type ContractTtl, contractTtls } from '../../../stellar/contracts/contract-ttl.ts'
import type { ServedNetwork } from '../../engine/network/served-network.ts'
import { type HourStats, readHourStats } from '../../store/settlements/hour-stats.ts'
import type { HealthFacts } from '../facts.ts'
import { UptoPoller } from '../upto/upto-poller.ts'
import { polledFacts } from './polled-facts.ts'
import { lastOf, PolledValue } from './polled-value.ts'

export interface NetworkPollerOptions {
  readonly db: Db
  readonly clock: Clock
  readonly readWithinMs: number
  readonly onError: (error: unknown, network: ServedNetwork) => void
}

/** Reads what `/health` reports of one network and `NetworkMonitor` does not read already. */
export class NetworkPoller {
  readonly #network: ServedNetwork
  readonly #clock: Clock
  readonly #hourStats: PolledValue<HourStats>
  readonly #contracts: PolledValue<ReadonlyMap<string, ContractTtl>>
  readonly #upto: UptoPoller | undefined

  constructor(network: ServedNetwork, options: NetworkPollerOptions) {
    const { db, clock, readWithinMs: withinMs } = options
    const onError = (error: unknown) => options.onError(error, network)
    const { upto } = network
    const ids = network.watchedContracts.map(({ id }) => id)
    this.#network = network
    this.#clock = clock
    this.#hourStats = new PolledValue({
      read: () => readHourStats(db, network.id, network.sponsor.address),
      clock,
      withinMs,
      onError,
    })
    this.#contracts = new PolledValue({
      read: (signal) => contractTtls(network.rpc, ids, signal),
      clock,
      withinMs,
      onError,
    })
    this.#upto = upto && new UptoPoller({ network, upto, db, clock, withinMs, onError })
  }

  /** Reads everything once; each value fails alone. */
  async refresh(stop: AbortSignal): Promise<void> {
    const values = [this.#hourStats, this.#contracts, this.#upto]
    await Promise.all(values.map((value) => value?.refresh(stop)))
  }

  /** The facts from the values read last. */
  get facts(): HealthFacts {
    const { rpc, counters, watchedContracts, upto } = this.#network
    const { latest: ttls, misses } = this.#contracts
    const polled = polledFacts(this.#network, this.#clock)
    const stats = rpc.stats?.()
    return {
      ...polled,
      rpc: { ...polled.rpc, isDisputed: stats?.isDisputed },
      hour: lastOf(this.#hourStats),
      contracts: watchedContracts.map((contract) => ({
        ...contract,
        misses,
        ttl: ttls?.value.get(contract.id),
      })),
      upto: upto && this.#upto && { ...this.#upto.facts, ttl: ttls?.value.get(upto.contract) },
      counted: {
        transportErrors1h: stats?.transportErrors1h ?? 0,
        leaseWaitP95Ms: counters.leaseWaits.p95(),
      },
    }
  }
}
