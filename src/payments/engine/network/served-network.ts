import type { WatchedContract } from '../../../diagnosis/facts/watched-contracts.ts'
import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Stages } from '../../../platform/telemetry/traces/stages.ts'
import type { SignerHealth } from '../../../signing/signer-health.ts'
import type { AnySigner } from '../../../stellar/accounts/envelope-signer.ts'
import type { RpcPool } from '../../../stellar/rpc/pool/rpc-pool.ts'
import type { StellarRpc } from '../../../stellar/rpc/rpc.ts'
import type { NetworkCounters } from '../../health/network/network-counters.ts'
import type { PaymentPolicy } from '../../protocol/policy.ts'
import type { UptoOptions } from '../../schemes/upto/options.ts'
import type { claimBatch } from '../../store/settlements/claim/claim-with-channel.ts'
import type { PauseRule } from '../../store/settlements/look-up.ts'
import type { recordBatch } from '../../store/settlements/transitions/record.ts'
import type { Confirmations } from '../follow/confirmations.ts'
import type { ChannelDirectory } from '../leases/channel-directory.ts'
import type { ChannelQueue } from '../leases/channel-queue.ts'
import type { ChannelAdmission } from '../limits/capacity/channel-admission.ts'
import type { PausedPayers } from '../limits/payers/paused-payers.ts'
import type { PayerBalances } from '../limits/payers/payer-balances.ts'
import type { SimulationTurns } from '../limits/turns/simulation-turns.ts'
import type { NetworkMonitor } from './network-monitor.ts'
import type { NetworkTime } from './network-time.ts'

/** One endpoint, or a pool of several, which has statistics and a newest ledger among them too. */
export type NetworkRpc = StellarRpc & Partial<Pick<RpcPool, 'stats' | 'newestLedger'>>

export interface SignerState {
  readonly health: SignerHealth
}

export interface PayerLimits {
  /** Whether the unfinished settlements of an asset are limited to the payer's balance. */
  readonly limitToFunds: boolean
  /** When the settlements of this payer are refused for a while; undefined: never. */
  readonly pauseOf: (payer: string) => PauseRule | undefined
  readonly balances: PayerBalances
  readonly paused: PausedPayers
}

/** One network that this service serves: payment policy, accounts and access to the ledger. */
export interface ServedNetwork {
  readonly id: NetworkId
  readonly policy: PaymentPolicy
  readonly rpc: NetworkRpc
  readonly time: NetworkTime
  readonly sponsor: AnySigner
  /** What signs for the sponsor; undefined where its key is in this process. */
  readonly signer: SignerState | undefined
  readonly channels: ChannelDirectory
  readonly monitor: NetworkMonitor
  readonly confirmations: Confirmations
  /** Writes the claims of its payments; those that come together in one statement. */
  readonly claims: ReturnType<typeof claimBatch>
  /** Records their envelopes, likewise. */
  readonly records: ReturnType<typeof recordBatch>
  /** Settlements that wait for a channel of this network. */
  readonly channelQueue: ChannelQueue
  /** Refuses new payments while that queue is too long. */
  readonly admission: ChannelAdmission
  /** Shares out the simulations of payments by caller. */
  readonly simulations: SimulationTurns
  /** Times the stages of its payments. */
  readonly stages: Stages
  /** The lowest bid per operation. */
  readonly inclusionFeeFloor: Stroops
  /** The highest one. */
  readonly inclusionFeeCap: Stroops
  /** While the sponsor can spend less than this, settlements are refused. */
  readonly sponsorReserve: Stroops
  /** While the sponsor can spend less, the service is not ready, and `/health` warns. */
  readonly minSponsorBalance: Stroops
  /** Maximum fees per hour over all replicas; no limit when absent. */
  readonly hourlyBudget: Stroops | undefined
  /** The part of it that one caller's settlements may use; no limit when absent. */
  readonly keyShare: Stroops | undefined
  /** Rules for each payer, and what this process remembers of payers. */
  readonly payers: PayerLimits
  /** Undefined where the scheme `upto` is not served. */
  readonly upto: UptoOptions | undefined
  /** Accepted assets and the settlement contract included. */
  readonly watchedContracts: readonly WatchedContract[]
  /** Events of its payments, counted for `/health`. */
  readonly counters: NetworkCounters
}
