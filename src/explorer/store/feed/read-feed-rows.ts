import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import type { FeedRange } from './read-feed-ranges.ts'

/** A payment's place in the order of the feed: position, then hash, then op index, all descending. */
export interface FeedKey {
  readonly position: bigint
  /** Hex. */
  readonly txHash: string
  readonly opIndex: number
}

/** A payment with ids instead of names. */
export interface StoredPayment extends FeedKey {
  readonly kind: number
  readonly seller: number
  readonly buyer: number
  readonly ledger: number
  readonly amount: string
  readonly ceiling: string | null
  readonly txSource: number
  readonly feeSource: number | null
  readonly feeCharged: bigint
  readonly sigExpiration: number | null
  readonly memo: string | null
  readonly muxedId: string | null
}

/** From 1 when `a` is older than `b`, that is behind it in the feed, to -1. */
export function compareInFeed(a: FeedKey, b: FeedKey): number {
  if (a.position !== b.position) return a.position < b.position ? 1 : -1
  if (a.txHash !== b.txHash) return a.txHash < b.txHash ? 1 : -1
  return b.opIndex - a.opIndex
}

/** The part of a range to read: payments behind `after`, or from `latest` on. */
export interface RangeStart extends FeedRange {
  readonly after: FeedKey | undefined
}

/** Filter: payments of one seller, one buyer, or both. Ids of addresses. */
export interface Addresses {
  readonly seller: number | undefined
  readonly buyer: number | undefined
}

/** The first `depth` payments of each range, and of all these the first `limit`, newest first. */
export async function readRanges(
  db: Db,
  starts: readonly RangeStart[],
  { seller, buyer }: Addresses,
  { depth, limit }: { readonly depth: number; readonly limit: number },
): Promise<readonly StoredPayment[]> {
  if (starts.length === 0) return []
  const of = (value: (start: RangeStart) => unknown) => sql.val(starts.map(value))
  const { rows } = await sql<Row>`
    select p.* from unnest(${of(({ kind }) => kind)}::integer[],
        ${of(({ latest, after }) => String(after?.position ?? latest))}::bigint[],
        ${of(({ after }) => after?.txHash ?? HIGHEST_HASH)}::text[],
        ${of(({ after }) => after?.opIndex ?? 0)}::smallint[]) as start (kind, position, tx_hash, op_index)
      cross join lateral (
        select ${columns} from explorer_payments
        where kind = start.kind and position <= start.position
          and (position < start.position
            or (tx_hash, op_index) < (decode(start.tx_hash, 'hex'), start.op_index))
          ${seller === undefined ? sql`` : sql`and seller = ${seller}`}
          ${buyer === undefined ? sql`` : sql`and buyer = ${buyer}`}
        order by position desc, tx_hash desc, op_index desc
        limit ${depth}
      ) p
    order by position desc, tx_hash desc, op_index desc
    limit ${limit}`.execute(db)
  return rows.map(toPayment)
}

/** Above every hash. */
const HIGHEST_HASH = 'ff'.repeat(33)

export const columns = sql`position, tx_hash, op_index, kind, seller, buyer, ledger, amount, ceiling,
  tx_source, fee_source, fee_charged, sig_expiration, memo, muxed_id`

export interface Row
  extends Pick<
    StoredPayment,
    'position' | 'kind' | 'seller' | 'buyer' | 'ledger' | 'amount' | 'ceiling' | 'memo'
  > {
  readonly tx_hash: Uint8Array
  readonly op_index: number
  readonly tx_source: number
  readonly fee_source: number | null
  readonly fee_charged: bigint
  readonly sig_expiration: number | null
  readonly muxed_id: string | null
}

export const toPayment = (row: Row): StoredPayment => ({
  position: row.position,
  txHash: Buffer.from(row.tx_hash).toString('hex'),
  opIndex: row.op_index,
  kind: row.kind,
  seller: row.seller,
  buyer: row.buyer,
  ledger: row.ledger,
  amount: row.amount,
  ceiling: row.ceiling,
  txSource: row.tx_source,
  feeSource: row.fee_source,
  feeCharged: row.fee_charged,
  sigExpiration: row.sig_expiration,
  memo: row.memo,
  muxedId: row.muxed_id,
})
