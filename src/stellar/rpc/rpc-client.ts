import { accountKey, readAccount } from '../accounts/account-entries.ts'
import { ledgerRange } from '../history/ledger-range.ts'
import { lumensMoved } from '../history/lumens-moved.ts'
import { madeTransfer } from '../history/made-transfer.ts'
import type { TransactionPages } from './pages/transaction-pages.ts'
import { transactionsPage } from './pages/transactions-page.ts'
import { transactionsSince } from './pages/transactions-since.ts'
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
import { headersFor, type RpcHeader } from './rpc-headers.ts'
import { simulationQueue } from './simulation-queue.ts'
import type { QueueName } from './transport/endpoint-queues.ts'
import {
  type CallRpc,
  type JsonRpcOptions,
  jsonRpc,
  type RpcRequest,
} from './transport/json-rpc.ts'

/** Limit of `getLedgerEntries`. */
const KEYS_PER_REQUEST = 200

/** One Stellar RPC endpoint. */
export interface RpcClient extends StellarRpc, TransactionPages {
  /** The passphrase of the network that the endpoint serves. */
  passphrase(signal?: AbortSignal): Promise<string>
}

export interface NamedClient {
  /** For logs and metrics; must hold no secret, as paths and queries of RPC providers may. */
  readonly name: string
  readonly client: RpcClient
}

/** A client of one Stellar RPC endpoint. Throws RangeError when the URL is invalid or not https. */
export function rpcClient(options: JsonRpcOptions): RpcClient {
  const call = jsonRpc(options)
  const entries: StellarRpc['ledgerEntries'] = (keys, signal) => ledgerEntries(call, keys, signal)
  return {
    passphrase: (signal) => call('getNetwork', undefined, networkAnswer, signal),
    latestLedger: (signal) => latestLedger(call, signal),
    simulate: (transaction, signal, queue = simulationQueue(transaction)) =>
      call('simulateTransaction', { transaction }, simulationAnswer, signal, queue),
    send: (transaction, signal) => call('sendTransaction', { transaction }, sendAnswer, signal),
    transaction: (hash, signal) => call('getTransaction', { hash }, transactionAnswer, signal),
    transactionsSince: (start, hashes, signal) => transactionsSince(call, start, hashes, signal),
    transactionsPage: (start, limit, signal) => transactionsPage(call, start, limit, signal),
    accounts: (addresses, signal) => accountsAmong(entries, addresses, signal),
    ledgerEntries: entries,
    lumensMoved: (query, signal) => lumensMoved(call, query, signal),
    madeTransfer: (query, signal) => madeTransfer(call, query, signal),
    feeStats: (signal) => call('getFeeStats', undefined, feeStatsAnswer, signal),
  }
}

export interface NamedClientOptions
  extends Omit<JsonRpcOptions, 'url' | 'headers' | 'onRequest' | 'onQueueLength'> {
  readonly headers?: readonly RpcHeader[] | undefined
  /** Called at the end of every request, with the name of its endpoint. */
  readonly onRequest?: (request: RpcRequest, endpoint: string) => void
  /** Called with the number of requests that wait in one queue of an endpoint, after each change. */
  readonly onQueueLength?: (queue: QueueName, length: number, endpoint: string) => void
}

/**
 * One client per URL, named by the URL's host: paths, queries and user names may be keys. Throws
 * RangeError when a URL is invalid or not https.
 */
export function rpcClients(
  urls: readonly string[],
  { headers = [], onRequest, onQueueLength, ...options }: NamedClientOptions = {},
): readonly NamedClient[] {
  const hosts = urls.map((url) => URL.parse(url)?.host ?? 'not a URL')
  return urls.map((url, index) => {
    const host = hosts[index] ?? ''
    const isShared = hosts.filter((other) => other === host).length > 1
    const name = isShared ? `${host} (${index + 1})` : host
    const named: Partial<JsonRpcOptions> = {
      headers: headersFor(url, headers),
      ...(onRequest && { onRequest: (request) => onRequest(request, name) }),
      ...(onQueueLength && {
        onQueueLength: (queue, length) => onQueueLength(queue, length, name),
      }),
    }
    return { name, client: rpcClient({ ...options, ...named, url }) }
  })
}

async function latestLedger(call: CallRpc, signal?: AbortSignal): Promise<LedgerTip> {
  const tip = await call('getLatestLedger', undefined, latestLedgerAnswer, signal)
  if (tip.closeTime !== undefined) return { ...tip, closeTime: tip.closeTime }
  // Older endpoints leave `closeTime` out of this answer, but not out of `getTransaction`'s.
  const range = await ledgerRange(call, signal)
  return { ...tip, sequence: range.latestLedger, closeTime: range.latestCloseTime }
}

/** The accounts that exist among `addresses`, read as ledger entries. */
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
    // The oldest state that any page was read from.
    latestLedger: Math.min(...pages.map((page) => page.latestLedger)),
    entries: pages.flatMap((page) => page.entries),
  }
}
