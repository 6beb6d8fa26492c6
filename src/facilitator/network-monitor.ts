import type { Clock } from '../core/clock.ts'
import type { Stroops } from '../core/stroops.ts'
import type { AccountState, FeeStats, LedgerTip, StellarRpc } from '../stellar/rpc.ts'
import type { SponsorBalance } from './health/facts.ts'
import { Reading } from './health/reading.ts'
import { type InclusionFeeOptions, inclusionBid } from './inclusion-fee.ts'
import type { NetworkTime } from './network-time.ts'

export interface NetworkMonitorOptions {
  readonly sponsor: string
  readonly rpc: StellarRpc
  readonly time: NetworkTime
  readonly clock: Clock
  readonly inclusionFee: InclusionFeeOptions
  readonly balanceStaleMs: number
  /** What is not read within this is not read, in milliseconds. */
  readonly readWithinMs: number
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
  readonly onBalance: (balance: Stroops) => void
  /** Reads which channels there are: other replicas may have made some. */
  readonly readChannels: () => Promise<void>
}

/**
 * What every settlement wants to know at once, as it was read last: the sponsor's balance, what the
 * network charges, and the ledger clock. No payment ever waits for a reading.
 */
export class NetworkMonitor {
  readonly #options: NetworkMonitorOptions
  readonly #openedAt: number
  readonly #tip: Reading<LedgerTip>
  readonly #sponsor: Reading<AccountState | undefined>
  readonly #fees: Reading<FeeStats>
  readonly #channels: Reading<void>

  constructor(options: NetworkMonitorOptions) {
    const { rpc, sponsor, time, clock, onBalance, readChannels, onError } = options
    const reading = <T>(read: (signal: AbortSignal) => Promise<T>) =>
      new Reading({ read, clock, withinMs: options.readWithinMs, onError })
    this.#options = options
    this.#openedAt = clock.now()
    this.#tip = reading(async (signal) => {
      const tip = await rpc.latestLedger(signal)
      time.observe(tip)
      return tip
    })
    this.#sponsor = reading(async (signal) => {
      const account = (await rpc.accounts([sponsor], signal)).get(sponsor)
      if (account) onBalance(account.balance)
      return account
    })
    this.#fees = reading((signal) => rpc.feeStats(signal))
    this.#channels = reading(readChannels)
  }

  /** Undefined when the sponsor does not exist, or was not read for `balanceStaleMs`. */
  get sponsorBalance(): Stroops | undefined {
    const { balance } = this
    return balance.kind === 'known' ? balance.stroops : undefined
  }

  /** The same, with the reason when there is none. */
  get balance(): SponsorBalance {
    const { clock, balanceStaleMs } = this.#options
    const { latest } = this.#sponsor
    const forMs = clock.now() - (latest?.readAt ?? this.#openedAt)
    if (!latest || forMs > balanceStaleMs) return { kind: 'unknown', forMs }
    return latest.value ? { kind: 'known', stroops: latest.value.balance } : { kind: 'missing' }
  }

  /** The newest ledger as the network told it, when that was asked last. */
  get tip(): Pick<Reading<LedgerTip>, 'latest' | 'misses'> {
    return this.#tip
  }

  /** The bid per operation that a settlement makes now, in stroops. */
  get inclusionFee(): Stroops {
    return inclusionBid(this.#fees.latest?.value, this.#options.inclusionFee)
  }

  /** Reads everything once. Each reading stands alone: one that fails leaves its own last value. */
  async refresh(): Promise<void> {
    const readings = [this.#tip, this.#sponsor, this.#fees, this.#channels]
    await Promise.all(readings.map((reading) => reading.refresh(this.#options.signal)))
  }
}
