import type { LedgerRange } from '../rpc/rpc.ts'
import { transactionAnswer } from '../rpc/rpc-answers.ts'
import type { CallRpc } from '../rpc/transport/json-rpc.ts'

/** No transaction has this hash: the answer is about the ledgers only. */
const NO_HASH = '0'.repeat(64)

/** The ledgers that the endpoint retains, by the answer that has their close times in every version of Stellar RPC. */
export const ledgerRange = (call: CallRpc, signal?: AbortSignal): Promise<LedgerRange> =>
  call('getTransaction', { hash: NO_HASH }, transactionAnswer, signal)
