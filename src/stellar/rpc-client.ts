import { accountKey, readAccount } from './account-entries.ts'
import { type CallRpc, type JsonRpcOptions, jsonRpc } from './json-rpc.ts'
import type { AccountState, LedgerEntries, LedgerTip, StellarRpc } from './rpc.ts'
import {
  feeStatsAnswer,
  latestLedgerAnswer,
  ledgerEntriesAnswer,
  networkAnswer,
  sendAnswer,
  simulationAnswer,
  transactionAnswer,
} from './rpc-answers.ts'
import { transactionsSince } from './rpc-transactions.ts'

/** The most `getLedgerEntries` takes at once. */
const KEYS_PER_REQUEST = 200

/** No transaction has it: an answer to it is about the ledger alone. */
const NO_HASH = '0'.repeat(64)

/** One Stellar RPC endpoint. */
export interface RpcClient extends StellarRpc {
  /** The passphrase of the network that it serves. */
  passphrase(signal?: AbortSignal): Promise<string>
}

/** A client of one Stellar RPC endpoint. Throws RangeError on an address it may not speak to. */
export function rpcClient(options: JsonRpcOptions): RpcClient {
  const call = jsonRpc(options)
  const entries: StellarRpc['ledgerEntries'] = (keys, signal) => ledgerEntries(call, keys, signal)
  return {
    passphrase: (signal) => call('getNetwork', undefined, networkAnswer, signal),
    latestLedger: (signal) => latestLedger(call, signal),
    simulate: (transaction, signal) =>
      call('simulateTransaction', { transaction }, simulationAnswer, signal),
    send: (transaction, signal) => call('sendTransaction', { transaction }, sendAnswer, signal),
    transaction: (hash, signal) => call('getTransaction', { hash }, transactionAnswer, signal),
    transactionsSince: (ledger, wanted, signal) => transactionsSince(call, ledger, wanted, signal),
    accounts: (addresses, signal) => accountsAmong(entries, addresses, signal),
    ledgerEntries: entries,
    feeStats: (signal) => call('getFeeStats', undefined, feeStatsAnswer, signal),
  }
}

async function latestLedger(call: CallRpc, signal?: AbortSignal): Promise<LedgerTip> {
  const tip = await call('getLatestLedger', undefined, latestLedgerAnswer, signal)
  if (tip.closeTime !== undefined) return { ...tip, closeTime: tip.closeTime }
  // An endpoint from before `closeTime` tells it with every transaction it is asked for.
  const seen = await call('getTransaction', { hash: NO_HASH }, transactionAnswer, signal)
  return { ...tip, sequence: seen.latestLedger, closeTime: seen.latestCloseTime }
}

/** The accounts among `addresses`, by a way to read ledger entries. */
export async function accountsAmong(
  read: StellarRpc['ledgerEntries'],
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, AccountState>> {
  if (addresses.length === 0) return new Map()
  const { entries } = await read(addresses.map(accountKey), signal)
  const states = entries.flatMap(({ xdr }) => readAccount(xdr) ?? [])
  return new Map(states.map((state) => [state.address, state]))
}

async function ledgerEntries(
  call: CallRpc,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<LedgerEntries> {
  const starts = Array.from(
    { length: Math.max(1, Math.ceil(keys.length / KEYS_PER_REQUEST)) },
    (_, i) => i * KEYS_PER_REQUEST,
  )
  const pages = await Promise.all(
    starts.map((start) => {
      const page = keys.slice(start, start + KEYS_PER_REQUEST)
      return call('getLedgerEntries', { keys: page }, ledgerEntriesAnswer, signal)
    }),
  )
  return {
    // What all pages have seen.
    latestLedger: Math.min(...pages.map((page) => page.latestLedger)),
    entries: pages.flatMap((page) => page.entries),
  }
}
