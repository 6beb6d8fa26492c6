import { sql } from 'kysely'
import type { SchemeName } from '../../../payments/protocol/schemes.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import { storableText } from '../../../platform/database/storable-text.ts'
import { addToKindFigures } from '../figures/kind-figures.ts'
import { lockFigures } from '../figures/lock-figures.ts'
import { addToPeopleFigures } from '../figures/people-figures.ts'
import { type Attribution, loadAttribution } from '../registry/attribution.ts'
import type { Confidence } from '../tables.ts'
import {
  type ClassicAsset,
  internAddresses,
  internAssets,
  internKinds,
  type Kind,
  kindKey,
} from './intern-ids.ts'
import { createPartitions } from './partitions.ts'
import { positionOf } from './position.ts'
import { recordset } from './recordset.ts'

/** An x402 payment as the ledger shows it. Whom it is attributed to is decided when it is written. */
export interface PaymentRow {
  readonly scheme: SchemeName
  readonly ledger: number
  /** Unix seconds. */
  readonly closedAt: number
  /** 64 hex digits; of the fee bump if there is one. */
  readonly txHash: string
  /** `G...` or `C...`, the address that signed. */
  readonly buyer: string
  /** `G...` or `C...`; a muxed recipient's id is in `muxedId`. */
  readonly seller: string
  /** The amount paid, in base units: 0 to 39 digits. */
  readonly amount: bigint
  /** The ceiling that the buyer signed, in base units; only for `upto`. */
  readonly ceiling?: bigint
  /** `C...` */
  readonly asset: string
  /** The classic asset whose contract `asset` is, proven by derivation of the contract's address. Native: code `XLM`, no issuer. */
  readonly classic?: ClassicAsset
  /** `G...`; of the inner transaction if there is a fee bump. */
  readonly txSource: string
  /** `G...`; of the fee bump, absent without one. */
  readonly feeSource?: string
  /** In stroops. */
  readonly feeCharged: bigint
  /** The last ledger in which the buyer's authorization was valid. */
  readonly sigExpirationLedger?: number
  /** Text of the transaction's memo: text as it is, ids as digits, hashes as hex. */
  readonly memo?: string
  readonly muxedId?: bigint
}

/** How many payments were new, of one scheme and confidence. */
export interface WrittenPayments {
  readonly scheme: SchemeName
  readonly confidence: Confidence
  readonly payments: number
}

/** A memo's text has at most 28 bytes, a hash 64 hex digits. */
const MAX_MEMO_LENGTH = 64

/**
 * Writes the payments of whole ledgers of one epoch, and adds them to every figure. A payment that is already written
 * changes nothing, so that ledgers may be read again; one of a month that was dropped is not written again. Returns
 * what was new. A constant number of statements, however many payments.
 *
 * Other writers of payments and figures wait until the transaction ends. So the attribution that is read here is
 * right, or a change of signers that comes later finds these payments and moves them.
 */
export async function writeLedgers(
  transaction: DbTransaction,
  { network, id: epoch }: { readonly network: NetworkId; readonly id: number },
  payments: readonly PaymentRow[],
): Promise<readonly WrittenPayments[]> {
  if (payments.length === 0) return []
  const windows = await lockFigures(transaction)
  const byHash = new Map<string, PaymentRow>()
  for (const payment of payments) {
    if (payment.closedAt >= windows.droppedBefore) byHash.set(payment.txHash, payment)
  }
  const wanted = [...byHash.values()]
  if (wanted.length === 0) return []
  await createPartitions(
    transaction,
    wanted.map(({ closedAt }) => closedAt),
  )
  const rows = await toRows(transaction, network, epoch, wanted)
  const isNew = await insertPayments(transaction, epoch, rows)
  const written = rows.filter(({ txHash }) => isNew.has(txHash))
  if (written.length === 0) return []
  await addToKindFigures(transaction, windows, written)
  const addresses = new Map(written.map((row) => [row.seller, row.payment.seller]))
  await addToPeopleFigures({ transaction, network, windows }, written, addresses)
  return countWritten(written)
}

interface Row {
  readonly payment: PaymentRow
  readonly attribution: Attribution
  readonly txHash: string
  readonly closedAt: number
  readonly amount: bigint
  readonly kind: number
  readonly seller: number
  readonly buyer: number
  readonly txSource: number
  readonly feeSource: number | null
}

/** Replaces names by numbers. */
async function toRows(
  transaction: DbTransaction,
  network: NetworkId,
  epoch: number,
  payments: readonly PaymentRow[],
): Promise<readonly Row[]> {
  const sources = payments.flatMap(({ txSource, feeSource }) =>
    feeSource === undefined ? [txSource] : [txSource, feeSource],
  )
  const attribute = await loadAttribution(transaction, network, sources)
  const addresses = await internAddresses(transaction, [
    ...sources,
    ...payments.flatMap(({ seller, buyer }) => [seller, buyer]),
  ])
  const classics = new Map<string, ClassicAsset | undefined>()
  for (const { asset, classic } of payments) classics.set(asset, classic ?? classics.get(asset))
  const assets = await internAssets(transaction, network, classics)
  const numberOf = (numbers: ReadonlyMap<string, number>, name: string): number => {
    const number = numbers.get(name)
    if (number === undefined) throw new Error(`no number for ${name}`)
    return number
  }
  const attributed = payments.map((payment) => {
    const { scheme, txSource, feeSource } = payment
    const attribution = attribute(txSource, feeSource)
    const asset = numberOf(assets, payment.asset)
    const kind: Kind = { network, epoch, scheme, ...attribution, asset }
    return { payment, attribution, kind }
  })
  const kinds = await internKinds(
    transaction,
    attributed.map(({ kind }) => kind),
  )
  return attributed.map(({ payment, attribution, kind }) => ({
    payment,
    attribution,
    txHash: payment.txHash,
    closedAt: payment.closedAt,
    amount: payment.amount,
    kind: numberOf(kinds, kindKey(kind)),
    seller: numberOf(addresses, payment.seller),
    buyer: numberOf(addresses, payment.buyer),
    txSource: numberOf(addresses, payment.txSource),
    feeSource: payment.feeSource === undefined ? null : numberOf(addresses, payment.feeSource),
  }))
}

/**
 * Returns the hashes of those that were new. A ledger has a transaction once, so the hash alone decides that: an endpoint
 * that gives another close time for it, and with that another position, must not make a second payment.
 */
async function insertPayments(
  transaction: DbTransaction,
  epoch: number,
  rows: readonly Row[],
): Promise<ReadonlySet<string>> {
  const given = rows.map(({ payment, txHash, closedAt, amount, ...ids }) => ({
    position: positionOf(closedAt, txHash),
    tx_hash: txHash,
    kind: ids.kind,
    seller: ids.seller,
    buyer: ids.buyer,
    ledger: payment.ledger,
    amount,
    ceiling: payment.ceiling,
    tx_source: ids.txSource,
    fee_source: ids.feeSource,
    fee_charged: payment.feeCharged,
    sig_expiration: payment.sigExpirationLedger,
    memo: storableText(payment.memo, MAX_MEMO_LENGTH),
    muxed_id: payment.muxedId,
  }))
  const columns = `kind integer, seller integer, buyer integer, ledger integer, amount numeric,
    ceiling numeric, tx_source integer, fee_source integer, fee_charged bigint, sig_expiration integer,
    memo text, muxed_id numeric`
  const names = sql.raw(columns.replaceAll(/ (integer|numeric|bigint|text)/g, ''))
  const { rows: inserted } = await sql<{ hash: string }>`
    insert into explorer_payments (position, tx_hash, ${names})
    select position, decode(tx_hash, 'hex'), ${names}
    from ${recordset(given, `position bigint, tx_hash text, ${columns}`)} given
    where not exists (select from explorer_payments known
      where known.tx_hash = decode(given.tx_hash, 'hex')
        and (select epoch from explorer_kinds where id = known.kind) = ${epoch})
    on conflict do nothing returning encode(tx_hash, 'hex') as hash`.execute(transaction)
  return new Set(inserted.map(({ hash }) => hash))
}

function countWritten(rows: readonly Row[]): readonly WrittenPayments[] {
  const counts = new Map<string, WrittenPayments>()
  for (const { payment, attribution } of rows) {
    const { scheme } = payment
    const { confidence } = attribution
    const key = `${scheme} ${confidence}`
    const payments = (counts.get(key)?.payments ?? 0) + 1
    counts.set(key, { scheme, confidence, payments })
  }
  return [...counts.values()]
}
