import type { Clock } from '../core/clock.ts'
import type { Stroops } from '../core/stroops.ts'
import type { FeeStats, StellarRpc } from '../stellar/rpc.ts'
import { type InclusionFeeOptions, inclusionBid } from './inclusion-fee.ts'
import type { NetworkTime } from './network-time.ts'

export interface NetworkMonitorOptions {
  readonly sponsor: string
  readonly rpc: StellarRpc
  readonly time: NetworkTime
  readonly clock: Clock
  readonly inclusionFee: InclusionFeeOptions
  readonly everyMs: number
  readonly balanceStaleMs: number
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
  readonly onBalance: (balance: Stroops) => void
  /** Reads which channels there are: other replicas may have made some. */
  readonly readChannels: () => Promise<void>
}

/**
 * Reads now and then what every settlement wants to know at once: the sponsor's balance, what the
 * network charges, and the ledger clock. No payment ever waits for it.
 */
export class NetworkMonitor {
  readonly #options: NetworkMonitorOptions
  #balance: { readonly value: Stroops; readonly readAt: number } | undefined
  #fees: FeeStats | undefined

  constructor(options: NetworkMonitorOptions) {
    this.#options = options
  }

  /** Undefined when the sponsor does not exist, or was not read for `balanceStaleMs`. */
  get sponsorBalance(): Stroops | undefined {
    const { clock, balanceStaleMs } = this.#options
    if (!this.#balance || clock.now() - this.#balance.readAt > balanceStaleMs) return undefined
    return this.#balance.value
  }

  /** The bid per operation that a settlement makes now, in stroops. */
  get inclusionFee(): Stroops {
    return inclusionBid(this.#fees, this.#options.inclusionFee)
  }

  /** Reads once, then goes on in the background until the signal aborts. */
  async start(): Promise<void> {
    await this.#read()
    void this.#run()
  }

  async #run(): Promise<void> {
    const { clock, signal, everyMs } = this.#options
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal).catch(() => undefined)
      if (!signal.aborted) await this.#read()
    }
  }

  /** Each reading stands alone: one that fails leaves the others and its own last value. */
  async #read(): Promise<void> {
    const { rpc, sponsor, time, clock, signal, onError, onBalance, readChannels } = this.#options
    const readings = await Promise.allSettled([
      rpc.latestLedger(signal).then((tip) => time.observe(tip)),
      rpc.accounts([sponsor], signal).then((accounts) => {
        const account = accounts.get(sponsor)
        this.#balance = account && { value: account.balance, readAt: clock.now() }
        if (account) onBalance(account.balance)
      }),
      readChannels(),
      rpc.feeStats(signal).then((stats) => {
        this.#fees = stats
      }),
    ])
    for (const reading of readings) {
      if (reading.status === 'rejected' && !signal.aborted) onError(reading.reason)
    }
  }
}
