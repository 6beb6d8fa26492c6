import type { Clock } from '../../core/clock.ts'
import { type ContractTtl, contractTtls } from '../../stellar/contract-ttl.ts'
import type { Db } from '../../store/schema.ts'
import { type HourStats, readHourStats } from '../../store/settlements/hour-stats.ts'
import type { ServedNetwork } from '../served-network.ts'
import type { NetworkFacts } from './facts.ts'
import { Reading } from './reading.ts'

export interface VitalsOptions {
  readonly db: Db
  readonly clock: Clock
  readonly readWithinMs: number
  readonly onError: (error: unknown, network: ServedNetwork) => void
}

/** What `/health` wants to know of a network beyond what its payments need. */
export class NetworkVitals {
  readonly #network: ServedNetwork
  readonly #clock: Clock
  readonly #figures: Reading<HourStats>
  readonly #contracts: Reading<ReadonlyMap<string, ContractTtl>>

  constructor(network: ServedNetwork, options: VitalsOptions) {
    const { db, clock, readWithinMs: withinMs } = options
    const onError = (error: unknown) => options.onError(error, network)
    const ids = network.watchedContracts.map(({ id }) => id)
    this.#network = network
    this.#clock = clock
    this.#figures = new Reading({
      read: () => readHourStats(db, network.id, network.sponsor.address),
      clock,
      withinMs,
      onError,
    })
    this.#contracts = new Reading({
      read: (signal) => contractTtls(network.rpc, ids, signal),
      clock,
      withinMs,
      onError,
    })
  }

  /** Reads everything once; each reading fails alone. */
  async refresh(stop: AbortSignal): Promise<void> {
    await Promise.all([this.#figures.refresh(stop), this.#contracts.refresh(stop)])
  }

  /** As it is known now, whenever that was read. */
  get facts(): NetworkFacts {
    const { id, sponsor, minSponsorBalance, monitor, channels, tally } = this.#network
    const figures = this.#figures.latest?.value
    return {
      id,
      rpc: this.#rpc(),
      sponsor: { address: sponsor.address, floor: minSponsorBalance, balance: monitor.balance },
      channels: { total: channels.addresses.length, leaseWaitP95Ms: tally.leaseWaits.p95() },
      store: { misses: this.#figures.misses, figures },
      contracts: this.#network.watchedContracts.map((contract) => ({
        ...contract,
        misses: this.#contracts.misses,
        life: this.#contracts.latest?.value.get(contract.id),
      })),
    }
  }

  #rpc(): NetworkFacts['rpc'] {
    const { rpc, monitor } = this.#network
    const { latest, misses } = monitor.tip
    const ageMs = latest && this.#clock.now() - latest.value.closeTime * 1_000
    return {
      misses,
      ledger: latest && {
        sequence: latest.value.sequence,
        ageSeconds: Math.max(0, Math.floor((ageMs ?? 0) / 1_000)),
      },
      transportErrors1h: rpc.stats?.().transportErrors1h ?? 0,
    }
  }
}
