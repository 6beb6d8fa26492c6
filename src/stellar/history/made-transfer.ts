/** Finds the payment of an envelope in another transaction: who sees an authorization can use it in one of their own. */
import { baseAddress } from '../accounts/strkey.ts'
import { type MadeTransfer, RpcError, type TransferQuery } from '../rpc/rpc.ts'
import type { CallRpc } from '../rpc/transport/json-rpc.ts'
import { ledgerRange } from './ledger-range.ts'
import { type PayerTransfer, payerTransfers } from './payer-transfers.ts'
import { scanEnvelope } from './scan/scan-envelope.ts'
import { madeBy, type Terms, termsOf } from './used-for-call.ts'

/** Bounds what one search costs: the caller goes on after the last ledger of it. */
const MAX_PAGES = 20
const MAX_TRANSACTIONS = 200
/** Asked for together; they share an HTTP request where the endpoint takes batches. */
const ASKED_AT_ONCE = 25

/**
 * Searches some ledgers, all of them where few transactions may have made the transfer. Throws `RpcError`, of kind
 * `not_retained` or `lagging` when the endpoint lacks a ledger of the search.
 */
export async function madeTransfer(
  call: CallRpc,
  query: TransferQuery,
  signal?: AbortSignal,
): Promise<MadeTransfer> {
  const { asset, payer, afterLedger, validThrough = Number.POSITIVE_INFINITY } = query
  const range = await ledgerRange(call, signal)
  const { throughLedger = Math.min(range.latestLedger, validThrough) } = query
  const window = { asset, payer, afterLedger, lastLedger: throughLedger }
  const pages = await payerTransfers(call, window, range, signal, MAX_PAGES)
  const { latestLedger } = pages
  const terms = termsOf(query.envelopeXdr)
  const { transfers, cutAfter = pages.cutAfter } = firstLedgers(
    pages.transfers.filter((each) => mayHaveMade(each, terms)),
  )
  const { unread, ...decided } = await searchAmong(transfers, query)
  if (decided.state) return { ...decided, latestLedger }
  if (range.oldestLedger > afterLedger + 1) {
    const message = `the endpoint has ledgers from ${range.oldestLedger} on, not ${afterLedger + 1}`
    throw new RpcError('not_retained', 'getEvents', message)
  }
  if (cutAfter === undefined && latestLedger < throughLedger) {
    const message = `the endpoint has ledgers up to ${latestLedger}, not ${throughLedger}`
    throw new RpcError('lagging', 'getEvents', message)
  }
  if (unread !== undefined) {
    return { state: 'unknown', because: notReadable(unread), latestLedger }
  }
  if (cutAfter === undefined) return { state: 'not_made', latestLedger }
  return { state: 'unfinished', searchedThrough: cutAfter, latestLedger }
}

/**
 * Whether a transfer can be that of our envelope, by its events alone: the payer may have made any number of others. A transfer
 * to the issuer of a classic asset is a burn, without a receiver. Anybody can make a transfer of nothing appear.
 */
const mayHaveMade = ({ amount, moves }: PayerTransfer, terms: Terms): boolean =>
  amount !== 0n &&
  moves.some(
    (move) =>
      (!move.to || terms.to === undefined || baseAddress(move.to) === terms.to) &&
      (move.amount === undefined || terms.amount === undefined || move.amount === terms.amount),
  )

/** Whole ledgers of transfers, within the bound or the first one. */
function firstLedgers(transfers: readonly PayerTransfer[]): {
  readonly transfers: readonly PayerTransfer[]
  readonly cutAfter?: number
} {
  const next = transfers[MAX_TRANSACTIONS]
  if (!next) return { transfers }
  const first = transfers[0]?.ledger ?? next.ledger
  const last = Math.max(first, next.ledger - 1)
  const whole = transfers.filter(({ ledger }) => ledger <= last)
  return whole.length === transfers.length ? { transfers } : { transfers: whole, cutAfter: last }
}

/** What the transactions of these transfers say; `unread` when none used the nonce, and one cannot be read. */
async function searchAmong(transfers: readonly PayerTransfer[], query: TransferQuery) {
  let unread: string | undefined
  for (let from = 0; from < transfers.length; from += ASKED_AT_ONCE) {
    const together = transfers.slice(from, from + ASKED_AT_ONCE)
    const proofs = await Promise.all(together.map(({ proof }) => proof()))
    for (const [n, { transaction, ledger, moves }] of together.entries()) {
      const proven = proofs[n]
      if (!proven) unread ??= transaction
      if (!proven?.used.has(query.nonce)) continue
      // The ledger takes a nonce once: no other transaction can have used it.
      const state = madeBy(query, proven.envelopeXdr, moves)
      if (state === 'not_made') return { state } as const
      if (state === 'unknown') return { state, because: unclear(transaction) } as const
      return { state, transaction, ledger, sources: sourcesOf(proven.envelopeXdr) } as const
    }
  }
  return { unread }
}

const notReadable = (transaction: string): string =>
  `transaction ${transaction} moved tokens of the payer, and cannot be read with its meta`
const unclear = (transaction: string): string =>
  `transaction ${transaction} used the nonce for one of several calls, and its events do not say for which`

function sourcesOf(envelopeXdr: string): readonly string[] {
  const { source, feeSource, operations } = scanEnvelope(Buffer.from(envelopeXdr, 'base64'))
  const all = [source, feeSource, ...operations.map((operation) => operation.source)]
  return [...new Set(all.flatMap((each) => each ?? []))]
}
