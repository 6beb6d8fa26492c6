import type { NetworkId } from '../core/caip2.ts'
import type { Stroops } from '../core/stroops.ts'
import type { StellarRpc } from '../stellar/rpc.ts'
import type { RpcPool } from '../stellar/rpc-pool.ts'
import type { Signer } from '../stellar/signer.ts'
import type { Stages } from '../telemetry/stages.ts'
import type { PaymentPolicy } from '../x402/policy.ts'
import type { ChannelDirectory } from './channel-directory.ts'
import type { ChannelQueue } from './channel-queue.ts'
import type { Confirmations } from './confirmations.ts'
import type { NetworkTally } from './health/network-tally.ts'
import type { WatchedContract } from './health/watched-contracts.ts'
import type { NetworkMonitor } from './network-monitor.ts'
import type { NetworkTime } from './network-time.ts'

/** The way to a network; one through several endpoints also tells how they fare. */
export type NetworkRpc = StellarRpc & Partial<Pick<RpcPool, 'stats'>>

/** One network this service serves: the rules, the accounts, and the way to the ledger. */
export interface ServedNetwork {
  readonly id: NetworkId
  readonly policy: PaymentPolicy
  readonly rpc: NetworkRpc
  readonly time: NetworkTime
  readonly sponsor: Signer
  readonly channels: ChannelDirectory
  readonly monitor: NetworkMonitor
  readonly confirmations: Confirmations
  /** Where settlements wait for a channel of this network. */
  readonly channelQueue: ChannelQueue
  /** Times the stages of its payments. */
  readonly stages: Stages
  /** The sponsor keeps at least this; below it settlements are refused. */
  readonly sponsorReserve: Stroops
  /** Below this the service is not ready, and `/health` warns. */
  readonly minSponsorBalance: Stroops
  /** What all replicas together may spend on fees in an hour; no limit when absent. */
  readonly hourlyBudget: Stroops | undefined
  /** Accepted assets included. */
  readonly watchedContracts: readonly WatchedContract[]
  /** What its payments tell `/health`. */
  readonly tally: NetworkTally
}
