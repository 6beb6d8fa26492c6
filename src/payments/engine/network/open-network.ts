import {
  type WatchedContract,
  watchedContracts,
} from '../../../diagnosis/facts/watched-contracts.ts'
import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import { type NetworkId, passphrases } from '../../../platform/core/caip2.ts'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { Store } from '../../../platform/database/open.ts'
import { onBackgroundError } from '../../../platform/telemetry/background-error.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics/metrics.ts'
import { Stages } from '../../../platform/telemetry/traces/stages.ts'
import type { Tracer } from '../../../platform/telemetry/traces/tracer.ts'
import type { AnySigner } from '../../../stellar/accounts/envelope-signer.ts'
import type { Signer } from '../../../stellar/accounts/signer.ts'
import { payersFaults } from '../../causes/ledger-failure.ts'
import { NetworkCounters } from '../../health/network/network-counters.ts'
import type { AcceptedAsset, PaymentPolicy } from '../../protocol/policy.ts'
import { paymentPolicy } from '../../schemes/payment-policy.ts'
import { type UptoOptions, uptoPolicy } from '../../schemes/upto/options.ts'
import { countChannelUse } from '../../store/channels/count.ts'
import { claimBatch } from '../../store/settlements/claim/claim-with-channel.ts'
import { leaseChannels } from '../../store/settlements/claim/lease-channels.ts'
import type { PauseRule } from '../../store/settlements/look-up.ts'
import { readPromisedFees } from '../../store/settlements/promised-fees.ts'
import { recordBatch } from '../../store/settlements/transitions/record.ts'
import { Confirmations } from '../follow/confirmations.ts'
import { ChannelDirectory } from '../leases/channel-directory.ts'
import { ChannelPresence } from '../leases/channel-presence.ts'
import { ChannelQueue } from '../leases/channel-queue.ts'
import { ChannelAdmission } from '../limits/capacity/channel-admission.ts'
import { PausedPayers } from '../limits/payers/paused-payers.ts'
import { PayerBalances } from '../limits/payers/payer-balances.ts'
import { SimulationTurns } from '../limits/turns/simulation-turns.ts'
import type { InclusionFeeOptions } from '../send/inclusion-fee.ts'
import type { Timings } from '../timings.ts'
import { showBalance, startSeries } from './network-metrics.ts'
import { NetworkMonitor } from './network-monitor.ts'
import { NetworkTime } from './network-time.ts'
import type { NetworkRpc, PayerLimits, ServedNetwork, SignerState } from './served-network.ts'

export interface NetworkOptions {
  readonly id: NetworkId
  readonly rpc: NetworkRpc
  readonly sponsor: AnySigner
  /** Undefined where the sponsor's key is in this process. */
  readonly signer?: SignerState | undefined
  /** The key of one channel. */
  readonly deriveChannel: (index: number) => Signer
  /** Own accounts besides the sponsor and the channels: settlement authorities, an earlier sponsor. */
  readonly ownAccounts: readonly string[]
  readonly assets: readonly AcceptedAsset[]
  readonly maxTxFeeStroops: Stroops
  readonly inclusionFee: InclusionFeeOptions
  readonly sponsorReserve: Stroops
  readonly minSponsorBalance: Stroops
  readonly hourlyBudget?: Stroops | undefined
  /** The part of the hourly budget that one caller's settlements may use, in percent; 100: no limit. */
  readonly maxKeyShareOfBudgetPercent: number
  /** The configured contracts; accepted assets need not be among them. */
  readonly watchedContracts: readonly WatchedContract[]
  readonly expirationMarginLedgers: number
  readonly timeoutMinSeconds: number
  readonly timeoutMaxSeconds: number
  readonly payers: {
    readonly limitToFunds: boolean
    /** Never pauses a payer when absent. */
    readonly pause?: Omit<PauseRule, 'codes'> | undefined
  }
  /** Absent where the scheme `upto` is not served. */
  readonly upto?: UptoOptions | undefined
}

export interface FacilitatorDeps {
  readonly store: Store
  readonly clock: SteadyClock
  readonly log: Logger
  readonly metrics: Metrics
  readonly tracer: Tracer
  readonly timings: Timings
  /** Stops all background work. */
  readonly signal: AbortSignal
}

/**
 * Creates the parts that serve one network, and polls it once. Does not throw when the network is
 * unreachable: the background poll tries again.
 */
export async function openNetwork(
  options: NetworkOptions,
  { store, clock, log, metrics, tracer, timings, signal }: FacilitatorDeps,
): Promise<ServedNetwork> {
  const { id, rpc, sponsor } = options
  const onErrorOf = (task: string, sentence: string) =>
    onBackgroundError({ log, metrics }, task, sentence, { network: id })
  startSeries(metrics, options)
  const time = new NetworkTime(clock)
  const channels = new ChannelDirectory({
    network: id,
    sponsor: sponsor.address,
    ownAccounts: options.ownAccounts,
    store,
    presence: new ChannelPresence(rpc, clock),
    derive: options.deriveChannel,
  })
  const readChannels = async (ending: AbortSignal) => {
    await channels.refresh()
    const use = await countChannelUse(store.db, id, sponsor.address)
    metrics.channelsTotal.set({ network: id }, use.active)
    metrics.channelsInUse.set({ network: id }, use.inUse)
    try {
      await channels.readLedger(ending)
    } finally {
      const { usable } = channels
      if (usable !== undefined) metrics.channelsUsable.set({ network: id }, usable)
    }
  }
  const monitor = new NetworkMonitor({
    sponsor: sponsor.address,
    rpc,
    time,
    clock,
    inclusionFee: options.inclusionFee,
    balanceStaleMs: timings.balanceStaleMs,
    readWithinMs: timings.readWithinMs,
    signal,
    readChannels,
    readPromisedFees: (balanceLedger) =>
      readPromisedFees(store.db, { network: id, sponsor: sponsor.address, balanceLedger }),
    onBalance: (balance) => showBalance(metrics, id, balance),
    onError: onErrorOf('monitor', 'Could not read the network'),
  })
  await monitor.refresh()
  const confirmations = new Confirmations({
    rpc,
    time,
    clock,
    signal,
    onError: onErrorOf('confirmations', 'Could not look up transactions'),
  })
  const { sponsorReserve, minSponsorBalance, hourlyBudget } = options
  const policy = policyOf(options, channels)
  const pool = { network: id, sponsor: sponsor.address }
  const { channelWaitMs: waitMs, channelKeptMs: keptForMs, leaseTtlMs } = timings
  const channelQueue = new ChannelQueue({
    ...{ clock, waitMs, signal },
    lease: (claims) => {
      const channelsBelow = channels.indexAfter(monitor.maxInFlight)
      return leaseChannels(store.db, { ...pool, channelsBelow, leaseTtlMs, keptForMs, claims })
    },
  })
  const admission = new ChannelAdmission({
    queue: channelQueue,
    waitMs,
    channels: () => Math.min(channels.addresses.length, monitor.maxInFlight),
    secondsPerLedger: () => time.secondsPerLedger,
  })
  const simulations = new SimulationTurns({
    clock,
    onRefused: ({ metric }) => metrics[metric.name].inc({ network: id, ...metric.labels }),
  })
  const stages = new Stages({ network: id, metrics, tracer })
  return {
    id,
    policy,
    rpc,
    time,
    sponsor,
    signer: options.signer,
    channels,
    monitor,
    confirmations,
    claims: claimBatch(store.db),
    records: recordBatch(store.db),
    channelQueue,
    admission,
    simulations,
    stages,
    inclusionFeeFloor: options.inclusionFee.floor,
    inclusionFeeCap: options.inclusionFee.cap,
    sponsorReserve,
    minSponsorBalance,
    hourlyBudget,
    keyShare: keyShareOf(options),
    payers: payerLimits(options, clock),
    watchedContracts: watchedContracts(
      options.assets,
      options.watchedContracts,
      options.upto?.contract,
    ),
    upto: options.upto,
    counters: new NetworkCounters(id, clock),
  }
}

/** Undefined when no claim can exceed it. */
function keyShareOf({ hourlyBudget, maxKeyShareOfBudgetPercent: percent }: NetworkOptions) {
  if (hourlyBudget === undefined || percent >= 100) return undefined
  return asStroops((hourlyBudget * BigInt(percent)) / 100n)
}

const payerLimits = ({ rpc, payers }: NetworkOptions, clock: SteadyClock): PayerLimits => ({
  limitToFunds: payers.limitToFunds,
  pauseOf: (payer) => payers.pause && { ...payers.pause, codes: payersFaults(payer) },
  balances: new PayerBalances(rpc),
  paused: new PausedPayers(clock),
})

const policyOf = (options: NetworkOptions, channels: ChannelDirectory): PaymentPolicy =>
  paymentPolicy(
    {
      ...options,
      passphrase: passphrases[options.id],
      upto: options.upto && uptoPolicy(options.upto),
    },
    (address) => channels.isOwn(address),
  )
