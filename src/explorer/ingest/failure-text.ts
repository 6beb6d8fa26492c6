import { StoreUnavailable } from '../../platform/database/postgres/unavailable.ts'
import { RpcError, type RpcErrorKind } from '../../stellar/rpc/rpc.ts'
import { HistoryDoubted } from './history/history-doubted.ts'

/** Fixed texts only: messages of endpoints may hold keys, and everyone can read these. */
const ofKind: Readonly<Record<RpcErrorKind, string>> = {
  transport: 'no RPC endpoint answered',
  rejected: 'the RPC refused the request',
  not_retained: 'no RPC endpoint retains the ledgers',
  unreadable: 'the RPC gave an answer that cannot be true',
  lagging: 'the RPC lags behind the ledgers that it reported before',
  wrong_network: 'every RPC endpoint serves another network',
  queue_full: 'too many requests wait for the RPC',
}

/** The text that anyone may read about a failed round. */
export function failureText(error: unknown): string {
  if (error instanceof RpcError) return ofKind[error.kind]
  if (error instanceof StoreUnavailable) return 'the store did not answer'
  if (error instanceof HistoryDoubted) return error.message
  return 'an internal error; the log has it'
}
