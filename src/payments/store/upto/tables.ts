import type { ColumnType, Generated } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'

export interface UptoTables {
  upto_keepers: UptoKeepersTable
  upto_keeper_transactions: UptoKeeperTransactionsTable
}

/** One row for each settlement contract that a keeper or a command has worked on. */
interface UptoKeepersTable {
  network: NetworkId
  contract: string
  holder: string | null
  term: ColumnType<bigint, never, bigint>
  /** May be `-infinity`: compare it in SQL, never read it. */
  lease_expires_at: ColumnType<never, never, Date>
  /** Likewise. */
  due_at: ColumnType<never, never, Date>
  checked_at: Date | null
  plan: string | null
  error: string | null
  /** Transactions in a row that failed. */
  failures: Generated<number>
  last_action: 'extend' | 'restore' | null
  last_transaction: string | null
  last_action_at: Date | null
}

/**
 * `reserved`: its maximum fee counts, nothing is signed. `submitted`: recorded, perhaps sent. `released`: it was never
 * sent. `expired`: no ledger includes it any more. `unknown`: the network no longer retains the ledgers that would show.
 */
interface UptoKeeperTransactionsTable {
  id: Generated<bigint>
  network: NetworkId
  contract: string
  sponsor: string
  action: 'extend' | 'restore' | 'upload' | 'create'
  state: 'reserved' | 'submitted' | 'succeeded' | 'failed' | 'expired' | 'released' | 'unknown'
  reserved_at: ColumnType<Date, Date, never>
  /** Stroops: the most that it can cost. */
  fee_committed: bigint
  fee_charged: bigint | null
  tx_hash: string | null
  envelope_xdr: string | null
  /** Unix seconds. */
  max_time: bigint | null
  recorded_at_ledger: bigint | null
  ledger: bigint | null
  finished_at: Date | null
}
