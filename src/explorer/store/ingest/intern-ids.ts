/**
 * Numbers that stand for addresses, assets and kinds in every other table. They are read from the database for each
 * batch: a cache would keep numbers that a rolled back transaction, or a standby that took over, never had.
 */

import { sql } from 'kysely'
import type { SchemeName } from '../../../payments/protocol/schemes.ts'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import { storableText } from '../../../platform/database/storable-text.ts'
import type { Confidence } from '../tables.ts'
import { recordset } from './recordset.ts'

/** The number of each address; new ones are written, in one order, so that two processes never wait for each other. */
export async function internAddresses(
  transaction: DbTransaction,
  addresses: Iterable<string>,
): Promise<ReadonlyMap<string, number>> {
  const wanted = [...new Set(addresses)].toSorted()
  const ids = new Map<string, number>()
  const find = async (missing: readonly string[]) => {
    const { rows } = await sql<{ id: number; address: string }>`
      select id, address from explorer_addresses where address = any(${missing}::text[])`.execute(
      transaction,
    )
    for (const { id, address } of rows) ids.set(address, id)
  }
  await find(wanted)
  const missing = wanted.filter((address) => !ids.has(address))
  if (missing.length === 0) return ids
  await sql`insert into explorer_addresses (address)
    select address from unnest(${missing}::text[]) address on conflict do nothing`.execute(
    transaction,
  )
  await find(missing)
  return ids
}

export interface ClassicAsset {
  readonly code: string
  readonly issuer?: string
}

/** Decimals of every classic asset. */
const CLASSIC_DECIMALS = 7
const MAX_CODE_LENGTH = 12

/** The number of each asset's contract; what is proven of a classic asset is kept. */
export async function internAssets(
  transaction: DbTransaction,
  network: string,
  assets: ReadonlyMap<string, ClassicAsset | undefined>,
): Promise<ReadonlyMap<string, number>> {
  const given = [...assets]
    .map(([contract, classic]) => ({
      contract,
      code: storableText(classic?.code, MAX_CODE_LENGTH) ?? null,
      issuer: classic?.issuer ?? null,
      decimals: classic ? CLASSIC_DECIMALS : null,
    }))
    .toSorted((a, b) => (a.contract < b.contract ? -1 : 1))
  await sql`insert into explorer_assets as asset (network, contract, code, issuer, decimals)
    select ${network}, contract, code, issuer, decimals
    from ${recordset(given, 'contract text, code text, issuer text, decimals smallint')} given
    where not exists (select from explorer_assets known where known.network = ${network}
      and known.contract = given.contract and (known.code is not null or given.code is null))
    on conflict (network, contract) do update
      set code = excluded.code, issuer = excluded.issuer, decimals = excluded.decimals
      where asset.code is null and excluded.code is not null`.execute(transaction)
  const { rows } = await sql<{ id: number; contract: string }>`
    select id, contract from explorer_assets
    where network = ${network} and contract = any(${given.map(({ contract }) => contract)}::text[])`.execute(
    transaction,
  )
  return new Map(rows.map(({ id, contract }) => [contract, id]))
}

export interface Kind {
  readonly network: string
  readonly epoch: number
  readonly scheme: SchemeName
  readonly confidence: Confidence
  readonly facilitator: string | null
  readonly asset: number
}

/** Equal for equal kinds. */
export const kindKey = ({ epoch, scheme, confidence, facilitator, asset }: Kind): string =>
  JSON.stringify([epoch, scheme, confidence, facilitator, asset])

/** The number of each kind, by its key. */
export async function internKinds(
  transaction: DbTransaction,
  kinds: Iterable<Kind>,
): Promise<ReadonlyMap<string, number>> {
  const wanted = new Map([...kinds].map((kind) => [kindKey(kind), kind]))
  const given = recordset(
    [...wanted.values()],
    'network text, epoch integer, scheme text, confidence text, facilitator text, asset integer',
  )
  const isSame = sql`kind.epoch = given.epoch and kind.scheme = given.scheme
    and kind.confidence = given.confidence and kind.asset = given.asset
    and kind.facilitator is not distinct from given.facilitator`
  await sql`insert into explorer_kinds (network, epoch, scheme, confidence, facilitator, asset)
    select * from ${given} given
    where not exists (select from explorer_kinds kind where ${isSame})
    on conflict do nothing`.execute(transaction)
  const { rows } = await sql<Kind & { id: number }>`
    select kind.id, given.* from ${given} given join explorer_kinds kind on ${isSame}`.execute(
    transaction,
  )
  return new Map(rows.map((row) => [kindKey(row), row.id]))
}
