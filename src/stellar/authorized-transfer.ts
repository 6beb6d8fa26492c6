/** What became of a payment whose signature was given away, by the events and transactions of the ledger. */
import { Address } from '@stellar/stellar-sdk'
import { z } from 'zod'
import { amountOf, eventPages, symbolSegment, textOf } from './event-pages.ts'
import type { CallRpc } from './json-rpc.ts'
import { latestLedgerAnswer } from './rpc-answers.ts'
import { scanEnvelope } from './scan-envelope.ts'

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
  | { readonly state: 'moved'; readonly amount: bigint; readonly transaction: string }
  /** The authorization has expired, and moved nothing. */
  | { readonly state: 'unused' }
  /** It moved nothing yet, and still can. */
  | { readonly state: 'open' }

/**
 * Searches every ledger in which the authorization was valid, as the endpoint has them. Throws `RpcError`, of kind `rejected` when a
 * ledger is not retained.
 */
export async function authorizedTransfer(
  call: CallRpc,
  authorization: TransferAuthorization,
  signal?: AbortSignal,
): Promise<AuthorizedTransfer> {
  const { afterLedger, lastLedger } = authorization
  const { sequence } = await call('getLatestLedger', undefined, latestLedgerAnswer, signal)
  if (sequence <= afterLedger) return { state: 'open' }
  const query = {
    filter: filterOf(authorization),
    afterLedger,
    throughLedger: Math.min(sequence, lastLedger),
  }
  const moved = new Map<string, bigint>()
  let latestLedger = Number.POSITIVE_INFINITY
  for await (const page of eventPages(call, query, signal)) {
    // Replicas behind one address may know different ledgers: the search is as new as its oldest answer.
    latestLedger = Math.min(latestLedger, page.latestLedger)
    for (const { transaction, topics, value } of page.events) {
      if (textOf(topics[1]) !== authorization.payer) continue
      moved.set(transaction, (moved.get(transaction) ?? 0n) + amountOf(value))
    }
  }
  for (const [transaction, amount] of moved) {
    if (await usesNonce(call, transaction, authorization, signal)) {
      return { state: 'moved', amount, transaction }
    }
  }
  return { state: latestLedger > lastLedger ? 'unused' : 'open' }
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

/** Not found is unreadable here: an event proves that the transaction exists. */
const appliedAnswer = z.object({ status: z.enum(['SUCCESS', 'FAILED']), envelopeXdr: z.string() })

async function usesNonce(
  call: CallRpc,
  hash: string,
  { payer, nonce }: TransferAuthorization,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const answer = await call('getTransaction', { hash }, appliedAnswer, signal)
  if (answer.status !== 'SUCCESS') return false
  const { call: invoked } = scanEnvelope(Buffer.from(answer.envelopeXdr, 'base64'))
  const signers = invoked?.signers ?? []
  return signers.some((signer) => signer.address === payer && signer.nonce === nonce)
}
