/** Outcomes of payments whose signatures left this process, from the events and transactions of the ledger. */

import type { CallRpc } from '../rpc/transport/json-rpc.ts'
import { ledgerRange } from './ledger-range.ts'
import {
  once,
  type PayerTransfers,
  payerTransfers,
  type TransferWindow,
} from './payer-transfers.ts'

/**
 * A signed authorization to move a token, such that it moves it in the transaction that uses up its nonce, or never: no
 * allowance that another transaction could spend is left of it.
 */
export interface TransferAuthorization {
  /** Token contract, `C...`. */
  readonly asset: string
  /** The signer: `G...` or `C...`. */
  readonly payer: string
  /** The ledger accepts each one once per payer. */
  readonly nonce: bigint
  /** A ledger that had closed before the signature. */
  readonly afterLedger: number
  /** The last one in which the authorization is valid. */
  readonly lastLedger: number
}

export type AuthorizedTransfer =
  /** `amount` left the payer, in base units, in this transaction. No more can. */
  | {
      readonly state: 'moved'
      readonly amount: bigint
      readonly transaction: string
      /** When its ledger closed, in Unix milliseconds. */
      readonly closedAtMs: number
    }
  /** The authorization has expired, and moved nothing: every ledger in which it was valid was searched. */
  | { readonly state: 'unused' }
  /** It moved nothing yet, and still can. */
  | { readonly state: 'open' }
  /** It has expired, and the endpoint cannot show that it moved nothing. */
  | { readonly state: 'unexplained'; readonly because: UnexplainedBecause }

/**
 * `not_retained`: the endpoint has no longer all ledgers in which it was valid. `unknown_transfer`: in one of them the token
 * left the payer in a transaction that is not there, or cannot be read with its meta.
 */
export const unexplainedReasons = ['not_retained', 'unknown_transfer'] as const
export type UnexplainedBecause = (typeof unexplainedReasons)[number]

/**
 * Says what became of each of these authorizations, in any order. It searches every ledger in which one was valid, as far
 * as the endpoint has them, once for all. What it returns throws `RpcError`.
 *
 * The entry of the nonce itself is not asked for with `getLedgerEntries`: that it is absent proves nothing while the
 * authorization is valid, and the ledger drops it with the authorization. That it is there says neither how much was
 * taken nor when.
 */
export function transferSearch(
  call: CallRpc,
  authorizations: readonly TransferAuthorization[],
  signal?: AbortSignal,
): (authorization: TransferAuthorization) => Promise<AuthorizedTransfer> {
  const range = once(() => ledgerRange(call, signal))
  const searches = windowsOf(authorizations).map((window) => ({
    window,
    found: once(async () => payerTransfers(call, window, await range(), signal)),
  }))
  return async (authorization) => {
    const search = searches.find(({ window }) => isWithin(authorization, window))
    if (!search) throw new RangeError('an authorization that the search is not about')
    return outcomeOf(await search.found(), authorization)
  }
}

/** The outcome of one authorization, by a search of its own. Throws `RpcError`. */
export const authorizedTransfer = (
  call: CallRpc,
  authorization: TransferAuthorization,
  signal?: AbortSignal,
): Promise<AuthorizedTransfer> => transferSearch(call, [authorization], signal)(authorization)

const isOfSame = (a: TransferWindow, b: TransferWindow): boolean =>
  a.asset === b.asset && a.payer === b.payer

const isWithin = (inner: TransferWindow, outer: TransferWindow): boolean =>
  isOfSame(inner, outer) &&
  outer.afterLedger <= inner.afterLedger &&
  inner.lastLedger <= outer.lastLedger

/** The fewest windows without a ledger that is in none of the authorizations. */
function windowsOf(authorizations: readonly TransferAuthorization[]): readonly TransferWindow[] {
  const windows: TransferWindow[] = []
  for (const each of authorizations.toSorted((a, b) => a.afterLedger - b.afterLedger)) {
    const at = windows.findLastIndex(
      (window) => isOfSame(window, each) && each.afterLedger <= window.lastLedger,
    )
    const window = windows[at]
    const { asset, payer, afterLedger } = window ?? each
    const lastLedger = Math.max(window?.lastLedger ?? 0, each.lastLedger)
    windows.splice(window ? at : windows.length, 1, { asset, payer, afterLedger, lastLedger })
  }
  return windows
}

async function outcomeOf(
  { transfers, oldestLedger, latestLedger }: PayerTransfers,
  { nonce, afterLedger, lastLedger }: TransferAuthorization,
): Promise<AuthorizedTransfer> {
  // Anybody can make a transfer of nothing appear, without an authorization.
  // A ledger after the latest one that the endpoint knows has no events.
  const own = transfers.filter(
    ({ ledger, amount }) =>
      amount !== 0n && ledger > afterLedger && ledger <= Math.min(lastLedger, latestLedger),
  )
  const proofs = await Promise.all(own.map((transfer) => transfer.proof()))
  let isExplained = true
  for (const [n, { transaction, amount }] of own.entries()) {
    const proof = proofs[n]
    const isUsed = proof?.used.has(nonce)
    if (proof && isUsed && amount !== undefined) {
      return { state: 'moved', amount, transaction, closedAtMs: proof.closedAtMs }
    }
    if (isUsed !== false) isExplained = false
  }
  if (latestLedger <= lastLedger) return { state: 'open' }
  if (oldestLedger - 1 > afterLedger) return { state: 'unexplained', because: 'not_retained' }
  return isExplained ? { state: 'unused' } : { state: 'unexplained', because: 'unknown_transfer' }
}
