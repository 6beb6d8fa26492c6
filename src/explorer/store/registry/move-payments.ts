import { sql } from 'kysely'
import { type DbTransaction, inTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { addToKindFigures, type CountedPayment } from '../figures/kind-figures.ts'
import { lockFigures } from '../figures/lock-figures.ts'
import { tidyKindFigures } from '../figures/tidy-kind-figures.ts'
import { internKinds, type Kind, kindKey } from '../ingest/intern-ids.ts'
import { recordset } from '../ingest/recordset.ts'
import { loadAttribution } from './attribution.ts'

interface Move {
  readonly network: string
  readonly address: string
  readonly id: number
  readonly source: 'tx_source' | 'fee_source'
  /** Text of a number; payments from this position on were looked at. */
  readonly below: string | null
}

interface SubmittedPayment extends CountedPayment, Omit<Kind, 'facilitator' | 'confidence'> {
  /** Text of a number. */
  readonly position: string
  readonly hash: string
  readonly txSource: string
  readonly feeSource: string | null
}

/**
 * Gives payments of one queued signer the kind that they have since its facilitator changed, `limit` of its payments at
 * most, and moves every figure that depends on the kind. One transaction, which keeps how far it came: any process may
 * go on after it.
 *
 * Returns false when nothing is queued any more.
 * @param guard called first in the transaction; it throws if this process may not write any more
 */
export const moveNext = (
  db: Db,
  guard: (transaction: DbTransaction) => Promise<unknown>,
  limit: number,
): Promise<boolean> =>
  inTransaction(db, async (transaction) => {
    await guard(transaction)
    const windows = await lockFigures(transaction)
    const move = await lockNext(transaction)
    if (!move) return false
    const payments = await submittedBy(transaction, move, limit)
    const moved = await rightKinds(transaction, move, payments)
    if (moved.length > 0) {
      await setKinds(transaction, moved)
      const before = moved.map(({ payment }) => payment)
      const after = moved.map(({ payment, kind }) => ({ ...payment, kind }))
      await addToKindFigures(transaction, windows, before, -1)
      await addToKindFigures(transaction, windows, after)
      await tidyKindFigures(transaction, before)
    }
    const last = payments.at(-1)
    await keepProgress(transaction, move, payments.length < limit ? undefined : last?.position)
    return true
  })

/** A change of the signer that comes now waits until this transaction ends, and then queues it again. */
async function lockNext(transaction: DbTransaction): Promise<Move | undefined> {
  // A signer without an id in explorer_addresses has submitted no payment. The lock on the figures keeps ingest from
  // writing one until this transaction ends.
  await sql`delete from explorer_moves where (network, address) in (
    select network, address from explorer_moves move
    where not exists (select from explorer_addresses known where known.address = move.address)
    for update skip locked)`.execute(transaction)
  const { rows } = await sql<Move>`
    select network, address, source, below_position::text as below,
      (select id from explorer_addresses known where known.address = move.address) as id
    from explorer_moves move order by network, address limit 1 for update`.execute(transaction)
  return rows[0]
}

/** Newest first, at most `limit`, and those at the position of the last; of every network, as accounts are. */
async function submittedBy(
  transaction: DbTransaction,
  { id, source, below }: Move,
  limit: number,
): Promise<readonly SubmittedPayment[]> {
  const { rows } = await sql<Omit<SubmittedPayment, 'amount'> & { amount: string }>`
    select position::text, encode(tx_hash, 'hex') as hash, payment.kind, payment.seller, payment.buyer,
      (position >> 32)::float8 as "closedAt", payment.amount, tx.address as "txSource",
      fee.address as "feeSource", kind.network, kind.epoch, kind.scheme, kind.asset
    from (
      select * from explorer_payments
      where ${sql.ref(source)} = ${id} and position < ${below ?? MAX_POSITION}::bigint
      order by position desc fetch first (${limit}::integer) rows with ties
    ) payment
    join explorer_kinds kind on kind.id = payment.kind
    join explorer_addresses tx on tx.id = tx_source
    left join explorer_addresses fee on fee.id = fee_source
    order by position desc`.execute(transaction)
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }))
}

const MAX_POSITION = (2n ** 63n - 1n).toString()

interface MovedPayment {
  readonly payment: SubmittedPayment
  /** The new one. */
  readonly kind: number
}

async function rightKinds(
  transaction: DbTransaction,
  { network }: Move,
  submitted: readonly SubmittedPayment[],
): Promise<readonly MovedPayment[]> {
  const payments = submitted.filter((payment) => payment.network === network)
  if (payments.length === 0) return []
  const sources = payments.flatMap(({ txSource, feeSource }) =>
    feeSource === null ? [txSource] : [txSource, feeSource],
  )
  const attribute = await loadAttribution(transaction, network, sources)
  const right = payments.map((payment) => {
    const { epoch, scheme, asset, txSource, feeSource } = payment
    const attribution = attribute(txSource, feeSource ?? undefined)
    return { payment, key: { network, epoch, scheme, asset, ...attribution } satisfies Kind }
  })
  const kinds = await internKinds(
    transaction,
    right.map(({ key }) => key),
  )
  return right.flatMap(({ payment, key }) => {
    const kind = kinds.get(kindKey(key))
    return kind === undefined || kind === payment.kind ? [] : [{ payment, kind }]
  })
}

async function setKinds(transaction: DbTransaction, moved: readonly MovedPayment[]): Promise<void> {
  const rows = moved.map(({ payment: { position, hash }, kind }) => ({ position, hash, kind }))
  await sql`update explorer_payments payment set kind = given.kind
    from ${recordset(rows, 'position bigint, hash text, kind integer')} given
    where payment.position = given.position and payment.tx_hash = decode(given.hash, 'hex')`.execute(
    transaction,
  )
}

/** Where a signer goes on; without a position its payments of this source are done. */
async function keepProgress(
  transaction: DbTransaction,
  { network, address, source }: Move,
  below: string | undefined,
): Promise<void> {
  const isIt = sql`network = ${network} and address = ${address}`
  if (below !== undefined) {
    await sql`update explorer_moves set below_position = ${below}::bigint where ${isIt}`.execute(
      transaction,
    )
  } else if (source === 'tx_source') {
    await sql`update explorer_moves set source = 'fee_source', below_position = null where ${isIt}`.execute(
      transaction,
    )
  } else {
    await sql`delete from explorer_moves where ${isIt}`.execute(transaction)
  }
}
