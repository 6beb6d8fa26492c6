import { balanceOf, type SponsorBalance } from '../../../diagnosis/facts/facts.ts'
import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { accountKey, readAccount } from '../../../stellar/accounts/account-entries.ts'
import type { AccountState, FeeStats, LedgerTip, StellarRpc } from '../../../stellar/rpc/rpc.ts'
import {
  type NetworkLimits,
  readNetworkLimits,
} from '../../../stellar/transactions/network-limits.ts'
import type { TransactionResources } from '../../../stellar/transactions/transaction-resources.ts'
import { spendableOf } from '../../channels/minimum-balance.ts'
import { PolledValue } from '../../health/network/polled-value.ts'
import { ClaimedFees } from '../limits/capacity/claimed-fees.ts'
import { QueueCapacity } from '../limits/capacity/queue-capacity.ts'
import { type InclusionFeeOptions, inclusionBid } from '../send/inclusion-fee.ts'
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
  /** Called after each poll that read the balance, or found that the ledger has no such account. */
  readonly onBalance: (balance: ReadBalance) => void
  /** Reads from the store the fees that the balance of that ledger does not show yet. */
  readonly readPromisedFees: (balanceLedger: number) => Promise<Stroops>
  /** Reads the channels from store and ledger: other replicas and the administrator change them. */
  readonly readChannels: (signal: AbortSignal) => Promise<void>
}

/** About two ledgers: as many as the network's queue holds. */
const OUTBID_MS = 10_000
/** The limits change only when the validators vote for others. */
const LIMITS_EVERY_MS = 60_000

type ReadBalance = Exclude<SponsorBalance, { kind: 'unknown' }>

interface SponsorAccount {
  /** Undefined when the ledger has no such account. */
  readonly account: AccountState | undefined
  readonly ledger: number
}

/**
 * Polls what every payment needs: the sponsor's balance, recent fees, the latest ledger and the
 * channels. Payments use the last values and never wait for a read.
 */
export class NetworkMonitor {
  readonly #options: NetworkMonitorOptions
  readonly #openedAt: number
  readonly #tip: PolledValue<LedgerTip>
  readonly #sponsor: PolledValue<SponsorAccount>
  readonly #promisedFees: PolledValue<Stroops>
  readonly #fees: PolledValue<FeeStats>
  readonly #channels: PolledValue<void>
  readonly #limits: PolledValue<NetworkLimits>
  #outbid = { outbid: asStroops(0n), until: 0 }
  /** Fees of the claims of this process since the last poll. */
  readonly claimedFees = new ClaimedFees()
  /** Learns from the settlements of this process. */
  readonly queueCapacity = new QueueCapacity()

  constructor(options: NetworkMonitorOptions) {
    const { rpc, sponsor, time, clock, readPromisedFees, readChannels, onError } = options
    const polled = <T>(read: (signal: AbortSignal) => Promise<T>) =>
      new PolledValue({ read, clock, withinMs: options.readWithinMs, onError })
    this.#options = options
    this.#openedAt = clock.now()
    this.#tip = polled((signal) => time.read(rpc, signal))
    this.#sponsor = polled(async (signal) => {
      const { entries, latestLedger } = await rpc.ledgerEntries([accountKey(sponsor)], signal)
      const [entry] = entries
      return { account: entry && readAccount(entry.xdr), ledger: latestLedger }
    })
    this.#promisedFees = polled(async () => {
      const balanceLedger = this.#sponsor.latest?.value.ledger ?? 0
      const isIncluded = this.claimedFees.beforeRead()
      const fees = await readPromisedFees(balanceLedger)
      isIncluded()
      return fees
    })
    this.#fees = polled((signal) => rpc.feeStats(signal))
    this.#channels = polled(readChannels)
    this.#limits = polled((signal) => readNetworkLimits(rpc, signal))
  }

  /**
   * The sum that the sponsor can spend on the fees of further settlements. Undefined when the sponsor does not exist,
   * or was not read for `balanceStaleMs`.
   */
  get spendable(): Stroops | undefined {
    const { balance } = this
    return balance.kind === 'known' ? spendableOf(balance) : undefined
  }

  /** The sponsor's balance, or why there is none. */
  get balance(): SponsorBalance {
    const { clock, balanceStaleMs } = this.#options
    const { latest } = this.#sponsor
    const forMs = clock.now() - (latest?.readAt ?? this.#openedAt)
    if (!latest || forMs > balanceStaleMs) return { kind: 'unknown', forMs }
    const { account } = latest.value
    const stored = this.#promisedFees.latest?.value ?? 0n
    return balanceOf(account, stored + this.claimedFees.total)
  }

  /** The latest ledger, and how many polls failed since it was read. */
  get tip(): Pick<PolledValue<LedgerTip>, 'latest' | 'misses'> {
    return this.#tip
  }

  /**
   * How many settlements the network's queue holds: of more at once it would refuse some, and the sponsor would
   * outbid itself. Infinity until the limits were read.
   */
  get maxInFlight(): number {
    const limits = this.#limits.latest?.value.ledger
    return limits ? this.queueCapacity.settlementsWithin(limits) : Number.POSITIVE_INFINITY
  }

  /** The network's limits on one transaction; undefined until this process has read them. */
  get transactionLimits(): TransactionResources | undefined {
    return this.#limits.latest?.value.transaction
  }

  /** The bid per operation of a settlement made now, in stroops. */
  get inclusionFee(): Stroops {
    const { inclusionFee, clock } = this.#options
    const bid = inclusionBid(this.#fees.latest?.value, inclusionFee)
    const { outbid, until } = this.#outbid
    return outbid > bid && clock.now() < until ? outbid : bid
  }

  /**
   * The network has refused a lower bid than this. For some ledgers no settlement bids less: each would be refused
   * first, while the statistics of recent fees do not show yet how busy the network is.
   */
  outbid(bid: Stroops): void {
    this.#outbid = { outbid: bid, until: this.#options.clock.now() + OUTBID_MS }
  }

  /** Reads everything once. A read that fails keeps its own last value and affects no other. */
  async refresh(): Promise<void> {
    const { signal, clock } = this.#options
    const values: PolledValue<unknown>[] = [this.#tip, this.#fees, this.#channels]
    const { latest: limits } = this.#limits
    if (!limits || clock.now() - limits.readAt >= LIMITS_EVERY_MS) values.push(this.#limits)
    await Promise.all([...values.map((value) => value.refresh(signal)), this.#refreshFunds(signal)])
  }

  /** One after the other: see `readPromisedFees` of the store. */
  async #refreshFunds(signal: AbortSignal): Promise<void> {
    await this.#sponsor.refresh(signal)
    await this.#promisedFees.refresh(signal)
    const { balance } = this
    if (this.#sponsor.misses === 0 && balance.kind !== 'unknown') this.#options.onBalance(balance)
  }
}
