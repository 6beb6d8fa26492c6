import type { Clock } from '../core/clock.ts'
import type { Stroops } from '../core/stroops.ts'
import type { AccountState, FeeStats, LedgerTip, StellarRpc } from '../stellar/rpc.ts'
import type { SponsorBalance } from './health/facts.ts'
import { PolledValue } from './health/polled-value.ts'
import { type InclusionFeeOptions, inclusionBid } from './inclusion-fee.ts'
import type { NetworkTime } from './network-time.ts'

export interface NetworkMonitorOptions {
  readonly sponsor: string
  readonly rpc: StellarRpc
  readonly time: NetworkTime
  readonly clock: Clock
  readonly inclusionFee: InclusionFeeOptions
  readonly balanceStaleMs: number
  /** Time limit of one read, in milliseconds. */
  readonly readWithinMs: number
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
  readonly onBalance: (balance: Stroops) => void
  /** Reads the list of channels, which other replicas may have changed. */
  readonly readChannels: () => Promise<void>
}

/**
 * Polls what every payment needs: the sponsor's balance, recent fees, the latest ledger and the
 * channels. Payments use the last values and never wait for a read.
 */
export class NetworkMonitor {
  readonly #options: NetworkMonitorOptions
  readonly #openedAt: number
  readonly #tip: PolledValue<LedgerTip>
  readonly #sponsor: PolledValue<AccountState | undefined>
  readonly #fees: PolledValue<FeeStats>
  readonly #channels: PolledValue<void>

  constructor(options: NetworkMonitorOptions) {
    const { rpc, sponsor, time, clock, onBalance, readChannels, onError } = options
    const polled = <T>(read: (signal: AbortSignal) => Promise<T>) =>
      new PolledValue({ read, clock, withinMs: options.readWithinMs, onError })
    this.#options = options
    this.#openedAt = clock.now()
    this.#tip = polled(async (signal) => {
      const tip = await rpc.latestLedger(signal)
      time.observe(tip)
      return tip
    })
    this.#sponsor = polled(async (signal) => {
      const account = (await rpc.accounts([sponsor], signal)).get(sponsor)
      if (account) onBalance(account.balance)
      return account
    })
    this.#fees = polled((signal) => rpc.feeStats(signal))
    this.#channels = polled(readChannels)
  }

  /** Undefined when the sponsor does not exist, or was not read for `balanceStaleMs`. */
  get sponsorBalance(): Stroops | undefined {
    const { balance } = this
    return balance.kind === 'known' ? balance.stroops : undefined
  }

  /** The sponsor's balance, or why there is none. */
  get balance(): SponsorBalance {
    const { clock, balanceStaleMs } = this.#options
    const { latest } = this.#sponsor
    const forMs = clock.now() - (latest?.readAt ?? this.#openedAt)
    if (!latest || forMs > balanceStaleMs) return { kind: 'unknown', forMs }
    return latest.value ? { kind: 'known', stroops: latest.value.balance } : { kind: 'missing' }
  }

  /** The latest ledger, and how many polls failed since it was read. */
  get tip(): Pick<PolledValue<LedgerTip>, 'latest' | 'misses'> {
    return this.#tip
  }

  /** The bid per operation of a settlement made now, in stroops. */
  get inclusionFee(): Stroops {
    return inclusionBid(this.#fees.latest?.value, this.#options.inclusionFee)
  }

  /** Reads everything once. A read that fails keeps its own last value and affects no other. */
  async refresh(): Promise<void> {
    const values = [this.#tip, this.#sponsor, this.#fees, this.#channels]
    await Promise.all(values.map((value) => value.refresh(this.#options.signal)))
  }
}
