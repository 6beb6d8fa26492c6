/** What became of a payment whose signature was given away, by the events and transactions of the ledger. */
import { Address } from '@stellar/stellar-sdk'
import { z } from 'zod'
import { amountOf, eventPages, symbolSegment, textOf } from './event-pages.ts'
import type { CallRpc } from './json-rpc.ts'
import { ledgerRange } from './ledger-range.ts'
import { type ScannedEnvelope, scanEnvelope } from './scan-envelope.ts'

/** A signed authorization to move a token. */
export interface TransferAuthorization {
  /** Token contract, `C...`. */
  readonly asset: string
  /** Who signed: `G...` or `C...`. */
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
 * left the payer in a transaction that is not there, cannot be read, or has no authorization of the payer.
 */
export const unexplainedReasons = ['not_retained', 'unknown_transfer'] as const
export type UnexplainedBecause = (typeof unexplainedReasons)[number]

const OPEN = { state: 'open' } as const

/** Searches every ledger in which the authorization was valid, as far as the endpoint has them. Throws `RpcError`. */
export async function authorizedTransfer(
  call: CallRpc,
  authorization: TransferAuthorization,
  signal?: AbortSignal,
): Promise<AuthorizedTransfer> {
  const { afterLedger, lastLedger } = authorization
  const range = await ledgerRange(call, signal)
  if (range.latestLedger <= afterLedger) return OPEN
  const searchedAfter = Math.max(afterLedger, range.oldestLedger - 1)
  const query = {
    filter: filterOf(authorization),
    afterLedger: searchedAfter,
    throughLedger: Math.min(range.latestLedger, lastLedger),
  }
  const moved = new Map<string, bigint>()
  let { latestLedger } = range
  for await (const page of eventPages(call, query, signal)) {
    // Replicas behind one address may know different ledgers: the search is as new as its oldest answer.
    latestLedger = Math.min(latestLedger, page.latestLedger)
    for (const { transaction, topics, value } of page.events) {
      if (textOf(topics[1]) !== authorization.payer) continue
      moved.set(transaction, (moved.get(transaction) ?? 0n) + amountOf(value))
    }
  }
  let isExplained = true
  for (const [transaction, amount] of moved) {
    // Anybody can make a transfer of nothing appear, without an authorization.
    if (amount === 0n) continue
    const origin = await originOf(call, transaction, authorization, signal)
    if (typeof origin === 'object') return { state: 'moved', amount, transaction, ...origin }
    if (origin === 'unknown') isExplained = false
  }
  if (latestLedger <= lastLedger) return OPEN
  if (searchedAfter > afterLedger) return { state: 'unexplained', because: 'not_retained' }
  return isExplained ? { state: 'unused' } : { state: 'unexplained', because: 'unknown_transfer' }
}

/**
 * What leaves the payer in the token: with the name of a classic asset behind it, or without. A transfer to the issuer of a
 * classic asset is a burn.
 */
const filterOf = ({ asset, payer }: TransferAuthorization) => {
  const from = Address.fromString(payer).toScVal().toXdr('base64')
  return {
    type: 'contract',
    contractIds: [asset],
    topics: [
      [symbolSegment('transfer'), from, '*', '*'],
      [symbolSegment('transfer'), from, '*'],
      [symbolSegment('burn'), from, '*'],
      [symbolSegment('burn'), from],
    ],
  }
}

const transactionAnswer = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('SUCCESS'),
    envelopeXdr: z.string(),
    /** Unix seconds. */
    createdAt: z.coerce.number().int(),
  }),
  z.object({ status: z.enum(['FAILED', 'NOT_FOUND']) }),
])

/** What let a transfer of the payer happen: this authorization, another one of the payer, or something unknown. */
type Origin = { readonly closedAtMs: number } | 'another' | 'unknown'

async function originOf(
  call: CallRpc,
  hash: string,
  authorization: TransferAuthorization,
  signal: AbortSignal | undefined,
): Promise<Origin> {
  const answer = await call('getTransaction', { hash }, transactionAnswer, signal)
  // A transaction that failed moved nothing; the event is not of this one.
  if (answer.status !== 'SUCCESS') return 'unknown'
  let envelope: ScannedEnvelope
  try {
    envelope = scanEnvelope(Buffer.from(answer.envelopeXdr, 'base64'))
  } catch {
    return 'unknown'
  }
  const origin = originIn(envelope, authorization)
  return origin === 'this' ? { closedAtMs: answer.createdAt * 1_000 } : origin
}

function originIn(
  { source, feeSource, operations }: ScannedEnvelope,
  { payer, nonce }: TransferAuthorization,
): 'this' | 'another' | 'unknown' {
  const signers = operations.flatMap((operation) => operation.signers)
  const own = signers.filter(({ address }) => address === payer)
  const sources = [source, feeSource, ...operations.map((operation) => operation.source)]
  const isSource = sources.includes(payer)
  if (own.some((signer) => signer.nonce === nonce)) {
    // The host neither checks nor uses up an entry that no call requires (CAP-46-11): beside something else of the payer that
    // can have moved the token, this one may be for show, and still be used later.
    return own.length === 1 && !isSource ? 'this' : 'unknown'
  }
  if (own.length > 0 || isSource) return 'another'
  // Operations of the classic ledger carry no authorization entries, so none of them used this one.
  return operations.some(({ isHostFunction }) => isHostFunction) ? 'unknown' : 'another'
}
