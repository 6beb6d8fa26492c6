/**
 * Reads from the ledger what became of the old sponsor's XLM. No note of this service can be as complete: it may end between a transaction and
 * its note, and a thief who has the seed leaves none.
 */
import { accountKey, readAccount } from '../../../stellar/accounts/account-entries.ts'
import { RpcError, type StellarRpc } from '../../../stellar/rpc/rpc.ts'

/** The balance of an account as of a ledger. */
export interface BalanceAt {
  readonly ledger: number
  /** Stroops; 0 for an account that does not exist. */
  readonly balance: bigint
}

/** Sums in stroops. */
export interface Movements {
  /** The sum that came to the old sponsor, from anyone. */
  readonly received: bigint
  /** The sum that it sent to the new one. */
  readonly swept: bigint
  /** The sum that it sent to anyone else. */
  readonly taken: bigint
  /** The fees that the ledger charged it for transactions. */
  readonly fees: bigint
}

export const noMovements: Movements = { received: 0n, swept: 0n, taken: 0n, fees: 0n }

type Rpc = Pick<StellarRpc, 'ledgerEntries' | 'lumensMoved'>

export async function balanceAt(
  rpc: Pick<Rpc, 'ledgerEntries'>,
  address: string,
  signal?: AbortSignal,
): Promise<BalanceAt> {
  const { entries, latestLedger } = await rpc.ledgerEntries([accountKey(address)], signal)
  const account = entries[0] && readAccount(entries[0].xdr)
  return { ledger: latestLedger, balance: account?.balance ?? 0n }
}

interface Between {
  /** Addresses of the old and of the new sponsor. */
  readonly from: string
  readonly to: string
  readonly passphrase: string
  readonly start: BalanceAt
  readonly end: BalanceAt
}

/**
 * Movements of the ledgers after `start` up to that of `end`. Undefined when the endpoint does not tell all of them, since the sums and the
 * balances differ then: it is behind, no longer has these ledgers, or has no events of classic operations. Throws `RpcError` when no
 * endpoint answers.
 */
export async function movementsBetween(
  rpc: Pick<Rpc, 'lumensMoved'>,
  { from, to, passphrase, start, end }: Between,
  signal?: AbortSignal,
): Promise<Movements | undefined> {
  if (end.ledger < start.ledger) return undefined
  if (end.ledger === start.ledger) return end.balance === start.balance ? noMovements : undefined
  const query = { account: from, passphrase, afterLedger: start.ledger, throughLedger: end.ledger }
  try {
    const moved = await rpc.lumensMoved(query, signal)
    if (moved.latestLedger < end.ledger) return undefined
    const received = sum(moved.received.values())
    const sent = sum(moved.sent.values())
    const swept = moved.sent.get(to) ?? 0n
    const isComplete = start.balance + received - sent - moved.fees === end.balance
    return isComplete ? { received, swept, taken: sent - swept, fees: moved.fees } : undefined
  } catch (error) {
    if (error instanceof RpcError && error.kind === 'rejected') return undefined
    throw error
  }
}

export const addMovements = (one: Movements, other: Movements): Movements => ({
  received: one.received + other.received,
  swept: one.swept + other.swept,
  taken: one.taken + other.taken,
  fees: one.fees + other.fees,
})

const sum = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((all, one) => all + one, 0n)
