import { sql } from 'kysely'
import type { SchemeName } from '../../../payments/protocol/schemes.ts'
import { type NetworkId, networkIds } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { StoredPayment } from '../feed/read-feed-rows.ts'
import type { Confidence } from '../tables.ts'
import { type Bought, type SellersPayment, withBought } from './read-resources.ts'

/** Facts about an asset, from the ledger; null: unknown. */
export interface AssetFacts {
  readonly contract: string
  /** Code of a classic asset. */
  readonly code: string | null
  /** Null for the native asset. */
  readonly issuer: string | null
  readonly decimals: number | null
}

/** A payment with the names that its ids stand for. */
export interface PaymentDetail
  extends Omit<StoredPayment, 'kind' | 'seller' | 'buyer' | 'txSource' | 'feeSource'>,
    SellersPayment,
    Bought {
  readonly network: NetworkId
  readonly epochStartedAt: Date
  readonly scheme: SchemeName
  readonly confidence: Confidence
  readonly facilitator: { readonly id: string; readonly displayName: string | null } | null
  readonly asset: AssetFacts
  readonly buyer: string
  readonly txSource: string
  readonly feeSource: string | null
}

type Kind = Pick<
  PaymentDetail,
  'network' | 'epochStartedAt' | 'scheme' | 'confidence' | 'facilitator' | 'asset'
>

/** The same payments in the same order. */
export async function readDetails(
  db: Db,
  payments: readonly StoredPayment[],
): Promise<readonly PaymentDetail[]> {
  if (payments.length === 0) return []
  const [kinds, addresses, listings] = await Promise.all([
    readKinds(db, distinct(payments.map(({ kind }) => kind))),
    readAddresses(db, addressesOf(payments)),
    readListed(db, distinct(payments.map(({ seller }) => seller))),
  ])
  const address = (id: number): string => must(addresses.get(id))
  const detailed = payments.map(({ kind: kindId, ...payment }) => {
    const kind = must(kinds.get(kindId))
    const { seller, feeSource } = payment
    return {
      ...payment,
      ...kind,
      seller: address(seller),
      buyer: address(payment.buyer),
      txSource: address(payment.txSource),
      feeSource: feeSource === null ? null : address(feeSource),
      listed: listings.get(`${kind.network} ${seller}`) ?? null,
    }
  })
  return withBought(db, detailed)
}

const addressesOf = (payments: readonly StoredPayment[]): readonly number[] =>
  distinct(
    payments.flatMap(({ seller, buyer, txSource, feeSource }) => [
      seller,
      buyer,
      txSource,
      ...(feeSource === null ? [] : [feeSource]),
    ]),
  )

const distinct = (ids: readonly number[]): readonly number[] => [...new Set(ids)]

/** Ids refer to rows that are never deleted. */
function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a payment names a row that does not exist')
  return value
}

async function readKinds(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Kind>> {
  const { rows } = await sql<
    AssetFacts & {
      readonly id: number
      readonly network: NetworkId
      readonly started_at: Date
      readonly scheme: SchemeName
      readonly confidence: Confidence
      readonly facilitator: string | null
      readonly display_name: string | null
    }
  >`
    select k.id, k.network, e.started_at, k.scheme, k.confidence, k.facilitator, f.display_name,
      a.contract, a.code, a.issuer, a.decimals
    from explorer_kinds k
      join explorer_epochs e on e.id = k.epoch
      join explorer_assets a on a.id = k.asset
      left join explorer_facilitators f on f.id = k.facilitator
    where k.id = any(${ids})`.execute(db)
  return new Map(
    rows.map(({ id, network, scheme, confidence, ...row }) => [
      id,
      {
        network,
        epochStartedAt: row.started_at,
        scheme,
        confidence,
        facilitator:
          row.facilitator === null ? null : { id: row.facilitator, displayName: row.display_name },
        asset: {
          contract: row.contract,
          code: row.code,
          issuer: row.issuer,
          decimals: row.decimals,
        },
      },
    ]),
  )
}

async function readAddresses(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ readonly id: number; readonly address: string }>`
    select id, address from explorer_addresses where id = any(${ids})`.execute(db)
  return new Map(rows.map(({ id, address }) => [id, address]))
}

/** By network and id of the seller. */
async function readListed(
  db: Db,
  sellers: readonly number[],
): Promise<ReadonlyMap<string, NonNullable<SellersPayment['listed']>>> {
  const { rows } = await sql<{
    readonly network: NetworkId
    readonly seller: number
    readonly service_name: string | null
    readonly resource: string | null
  }>`
    select network, seller, service_name, resource from explorer_sellers
    where network = any(${networkIds}) and seller = any(${sellers}) and registered`.execute(db)
  return new Map(
    rows.map(({ network, seller, service_name: serviceName, resource }) => [
      `${network} ${seller}`,
      { serviceName, resource },
    ]),
  )
}
