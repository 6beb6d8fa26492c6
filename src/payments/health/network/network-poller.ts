import { termsOf } from '../../../diagnosis/facts/derive.ts'
import type { TriedAsset } from '../../../diagnosis/facts/trial-facts.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { type ContractTtl, contractTtls } from '../../../stellar/contracts/contract-ttl.ts'
import type { ServedNetwork } from '../../engine/network/served-network.ts'
import { type HourStats, readHourStats } from '../../store/settlements/hour-stats.ts'
import { recentPayments } from '../../store/settlements/recent-payments.ts'
import { type Trial, tryPayments } from '../../trial/try-payments.ts'
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

/** Settings do not change, and the network's prices rarely do; each trial makes some simulations. */
const TRY_EVERY_MS = 600_000

const trialOf = (network: ServedNetwork, db: Db): Trial => ({
  rpc: network.rpc,
  policy: network.policy,
  inclusionFee: network.inclusionFeeFloor,
  limits: network.monitor.transactionLimits,
  sponsor: network.sponsor.address,
  channel: network.channels.addresses[0],
  recentPayments: (asset) => recentPayments(db, network.id, asset),
})

/** Reads what `/health` reports of one network and `NetworkMonitor` does not read already. */
export class NetworkPoller {
  readonly #network: ServedNetwork
  readonly #clock: Clock
  readonly #hourStats: PolledValue<HourStats>
  readonly #contracts: PolledValue<ReadonlyMap<string, ContractTtl>>
  readonly #trial: PolledValue<readonly TriedAsset[]>
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
    this.#trial = new PolledValue({
      read: (signal) => tryPayments(trialOf(network, db), signal),
      clock,
      withinMs,
      onError,
    })
    this.#upto = upto && new UptoPoller({ network, upto, db, clock, withinMs, onError })
  }

  /** Reads everything once; each value fails alone. */
  async refresh(stop: AbortSignal): Promise<void> {
    const values: (Pick<PolledValue<unknown>, 'refresh'> | undefined)[] = [
      this.#hourStats,
      this.#contracts,
      this.#upto,
    ]
    const { latest: tried } = this.#trial
    const isDue = !tried || this.#clock.now() - tried.readAt >= TRY_EVERY_MS
    if (isDue) values.push(this.#trial)
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
      terms: termsOf(
        { ...this.#network.policy, assets: [...this.#network.policy.assets.values()] },
        this.#network.time.secondsPerLedger,
      ),
      trial: lastOf(this.#trial),
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
