import { sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import type { Confidence } from '../tables.ts'

/** Whom a payment is attributed to. */
export interface Attribution {
  readonly facilitator: string | null
  readonly confidence: Confidence
}

/** Tells who submitted a transaction with these source accounts. */
export type Attribute = (txSource: string, feeSource: string | undefined) => Attribution

const UNKNOWN: Attribution = { facilitator: null, confidence: 'x402-shaped' }

/**
 * The submitter is the source of the transaction if that is a known signer, else the source of the fee. Known are
 * the signers of this service and of verified facilitators.
 *
 * @param sources accounts that will be asked about
 */
export async function loadAttribution(
  transaction: DbTransaction,
  network: string,
  sources: Iterable<string>,
): Promise<Attribute> {
  const { rows } = await sql<{ address: string } & Attribution>`
    select address, facilitator, confidence from explorer_submitters
    where network = ${network} and address = any(${[...new Set(sources)]}::text[])`.execute(
    transaction,
  )
  const known = new Map(
    rows.map(({ address, facilitator, confidence }) => [address, { facilitator, confidence }]),
  )
  return (txSource, feeSource) =>
    known.get(txSource) ?? (feeSource === undefined ? undefined : known.get(feeSource)) ?? UNKNOWN
}
