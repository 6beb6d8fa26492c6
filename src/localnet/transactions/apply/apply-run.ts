import type { AccountId } from '../../ledger/account-id.ts'
import type { SorobanHost } from '../../soroban/host.ts'
import type { LedgerContext } from '../../soroban/ledger-context.ts'
import type { Envelope, Transaction } from '../envelope.ts'
import type { RefundableFeeTracker } from '../fees/refundable-fee-tracker.ts'
import type { HostLedgerReader } from '../soroban/soroban-context.ts'
import type { EventFactory } from './events.ts'
import type { MetaVersion, OperationMeta } from './meta.ts'
import type { TransactionOutcome } from './result.ts'

export interface LedgerApply {
  readonly ledger: LedgerContext
  readonly host: SorobanHost
  readonly hostLedger: HostLedgerReader
  readonly events: EventFactory
  readonly metaVersion: MetaVersion
  /** Seed of the order of an operation's changes; that of the writes when undefined. */
  readonly shuffleChanges: number | undefined
  readonly nonRefundableFee: (transaction: Transaction) => bigint
  /** The highest sequence number that this ledger's transactions use on an account. */
  readonly highestSequence: (account: AccountId) => bigint
  /** 32 bytes from which each transaction's PRNG seed is derived. */
  readonly seed: Uint8Array
  /** Receives a line for each error that ends a transaction with txINTERNAL_ERROR. */
  readonly log: (line: string) => void
}

/** One transaction while it is applied. */
export interface Run {
  readonly envelope: Envelope
  readonly apply: LedgerApply
  readonly fee: RefundableFeeTracker | undefined
  readonly index: number
}

export interface Applied {
  readonly outcome: TransactionOutcome
  readonly fee: RefundableFeeTracker | undefined
  readonly before: readonly Uint8Array[]
  readonly operations: readonly OperationMeta[]
  readonly returnValue: Uint8Array | undefined
  readonly diagnostics: readonly Uint8Array[]
}
