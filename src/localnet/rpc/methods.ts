import type { RpcContext } from './context.ts'
import type { RpcMethod, RpcMethods } from './json-rpc.ts'
import { getEvents } from './reads/get-events.ts'
import { getFeeStats } from './reads/get-fee-stats.ts'
import { getHealth } from './reads/get-health.ts'
import { getLatestLedger } from './reads/get-latest-ledger.ts'
import { getLedgerEntries } from './reads/get-ledger-entries.ts'
import { getLedgers } from './reads/get-ledgers.ts'
import { getNetwork } from './reads/get-network.ts'
import { getTransaction } from './reads/get-transaction.ts'
import { getTransactions } from './reads/get-transactions.ts'
import { getVersionInfo } from './reads/get-version-info.ts'
import { invalidParams } from './rpc-fault.ts'
import { sendTransaction } from './send-transaction.ts'
import { simulateTransaction } from './simulate/simulate-transaction.ts'

const methods = {
  getEvents,
  getFeeStats,
  getHealth,
  getLatestLedger,
  getLedgerEntries,
  getLedgers,
  getNetwork,
  getTransaction,
  getTransactions,
  getVersionInfo,
  sendTransaction,
  simulateTransaction,
} as const satisfies Record<string, (context: RpcContext, params: unknown) => unknown>

export const methodNames = Object.keys(methods)

/** All methods, bound to one network. Positional parameters are refused, as by Stellar RPC. */
export function rpcMethods(context: RpcContext): RpcMethods {
  const bound = Object.entries(methods).map(([name, method]): [string, RpcMethod] => [
    name,
    (params) => {
      if (Array.isArray(params)) throw invalidParams('invalid parameters')
      return method(context, params)
    },
  ])
  return new Map(bound)
}
