import type { TransactionPages } from '../../../stellar/rpc/pages/transaction-pages.ts'
import { RpcError } from '../../../stellar/rpc/rpc.ts'

/**
 * The oldest ledger that any endpoint retains: each may retain others. An endpoint that retains a ledger retains all after it.
 * @param lost a ledger that none retains
 * @param retained the oldest ledger of one of them
 */
export async function findOldestLedger(
  rpc: TransactionPages,
  lost: number,
  retained: number,
  signal: AbortSignal,
): Promise<number> {
  if (retained <= lost) {
    const message = `ledger ${lost} is not retained, though the oldest is ${retained}`
    throw new RpcError('unreadable', 'getTransactions', message)
  }
  let low = lost
  let high = retained
  // In most cases the endpoints retain the same ledgers, and one request is enough.
  let probe = high - 1
  while (high - low > 1) {
    if (await isRetained(rpc, probe, signal)) high = probe
    else low = probe
    probe = Math.floor((low + high) / 2)
  }
  return high
}

async function isRetained(
  rpc: TransactionPages,
  startLedger: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await rpc.transactionsPage({ startLedger }, 1, signal)
    return true
  } catch (error) {
    if (error instanceof RpcError && error.kind === 'not_retained') return false
    throw error
  }
}
