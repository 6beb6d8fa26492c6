import type { NetworkId } from '../../../platform/core/caip2.ts'
import { shortText } from '../../../platform/core/text/short-text.ts'
import type { Db } from '../../../platform/database/schema.ts'

/** The last findings and actions of a settlement contract's keeper, on any replica. */
export interface KeeperState {
  readonly network: NetworkId
  /** `C...` */
  readonly contract: string
  /** When the entries' TTL was last read. */
  readonly checkedAt: Date | undefined
  /** The step that it is about to take, in one sentence; absent when nothing has to be done. */
  readonly plan: string | undefined
  readonly lastAction: KeeperAction | undefined
  /** Why the last round failed; absent after one that did not. */
  readonly error: string | undefined
}

interface KeeperAction {
  readonly action: 'extend' | 'restore'
  /** Hash, 64 hex digits. */
  readonly transaction: string
  /** When the process that followed it saw it in a ledger. */
  readonly at: Date
}

/** A status has half of it. */
const MAX_ERROR_LENGTH = 2_000

/** Undefined when neither a keeper nor a command has worked on the contract. */
export async function readKeeperState(
  db: Db,
  network: NetworkId,
  contract: string,
): Promise<KeeperState | undefined> {
  const row = await db
    .selectFrom('upto_keepers')
    .select(['checked_at', 'plan', 'error', 'last_action', 'last_transaction', 'last_action_at'])
    .where('network', '=', network)
    .where('contract', '=', contract)
    .executeTakeFirst()
  if (!row) return undefined
  const { last_action: action, last_transaction: transaction, last_action_at: at } = row
  return {
    network,
    contract,
    checkedAt: row.checked_at ?? undefined,
    plan: row.plan ?? undefined,
    lastAction: action && transaction && at ? { action, transaction, at } : undefined,
    error: row.error === null ? undefined : shortText(row.error, MAX_ERROR_LENGTH),
  }
}
