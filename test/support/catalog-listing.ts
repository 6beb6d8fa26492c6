import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { CatalogItems } from '../../src/catalog/items/catalog-items.ts'
import { itemKeyOf } from '../../src/catalog/items/item-key.ts'
import type { ListingContent, PaymentOption } from '../../src/catalog/listing.ts'
import type { ListingState, Trust } from '../../src/catalog/store/tables.ts'
import { usdcContracts } from '../../src/platform/core/caip2.ts'
import type { Db } from '../../src/platform/database/schema.ts'
import { baseAddress } from '../../src/stellar/accounts/strkey.ts'

/** Addresses with valid checksums; the muxed one is on the first account. */
export const accounts = {
  first: 'GDVEU3DD4KOFECV66VIHWEZOYX4ZKR3WV27L464SIIPOU2IUI3JCZA57',
  muxedOnFirst: 'MDVEU3DD4KOFECV66VIHWEZOYX4ZKR3WV27L464SIIPOU2IUI3JCYAAAAAAAAAAAA7CKG',
  second: 'GAJZR5RMNUNEK7CRXJVEWXZ5XUXWT7FJGILCDDOITF7EC26RPWJ4UVOE',
} as const

export interface ListingToPut {
  readonly content: ListingContent
  readonly state?: ListingState
  readonly trust?: Trust
  readonly owner?: string
  readonly settlements?: number
  /** @default now, if it is published */
  readonly firstPublishedAt?: Date
  readonly lastOutcome?: object
  readonly checkDueAt?: Date
}

export const option = (overrides: Partial<PaymentOption> = {}): PaymentOption => {
  const { network = 'stellar:testnet' } = overrides
  return {
    scheme: 'exact',
    network,
    asset: usdcContracts[network],
    payTo: accounts.first,
    amount: '100000',
    maxTimeoutSeconds: 60,
    extra: { areFeesSponsored: true },
    ...overrides,
  }
}

export const content = (
  resource: string,
  overrides: Partial<ListingContent> = {},
): ListingContent => {
  const isTool = overrides.kind === 'mcp'
  return {
    resource,
    kind: 'http',
    ...(isTool ? { toolName: 'forecast' } : { method: 'GET' }),
    extensions: ['bazaar'],
    bazaar: { info: { input: { type: isTool ? 'mcp' : 'http' } }, schema: { type: 'object' } },
    accepts: [option()],
    ...overrides,
  }
}

const outcome = {
  phase: 'origin',
  status: 'success',
  code: 'recorded',
  at: '2026-11-22T00:00:00.000Z',
}

/** Writes a listing as a catalog process would, by default a published one; returns its id. */
export async function putListing(db: Db, listing: ListingToPut): Promise<string> {
  const { content: declared, state = 'published', trust = 'origin_verified' } = listing
  const [first = option()] = declared.accepts
  const { owner = first.payTo, settlements = 1, firstPublishedAt } = listing
  const id = randomUUID()
  return db.transaction().execute(async (transaction) => {
    // First the revision, then the time: as the catalog's own writes, so that both follow the same order.
    const revision = await nextRevision(transaction)
    const now = sql<Date>`clock_timestamp()`
    await transaction
      .insertInto('listings')
      .values({
        id,
        item_key: itemKeyOf(declared),
        network: first.network,
        kind: declared.kind,
        resource: declared.resource,
        method: declared.method ?? null,
        tool_name: declared.toolName ?? null,
        host: URL.parse(declared.resource)?.hostname ?? '',
        owner,
        state,
        trust,
        version: 1,
        settlements: BigInt(settlements),
        first_cataloged_at: firstPublishedAt ?? now,
        first_published_at: state === 'published' ? (firstPublishedAt ?? now) : null,
        last_settled_at: now,
        updated_at: now,
        content: JSON.stringify(declared),
        service_name: declared.serviceName ?? null,
        extensions: [...declared.extensions],
        revision,
        last_outcome: JSON.stringify(listing.lastOutcome ?? outcome),
        check_due_at: listing.checkDueAt ?? null,
        check_tries: 0,
      })
      .execute()
    await transaction
      .insertInto('listing_versions')
      .values({
        listing_id: id,
        version: 1,
        created_at: now,
        cause: 'settlement',
        transaction: 'a'.repeat(64),
        owner,
        trust,
        state,
        content: JSON.stringify(declared),
      })
      .execute()
    await transaction
      .insertInto('listing_options')
      .values(
        declared.accepts.map(({ network, scheme, asset, payTo, amount }, place) => ({
          listing_id: id,
          place,
          network,
          scheme,
          asset,
          pay_to: payTo,
          pay_to_account: baseAddress(payTo),
          amount: BigInt(amount),
        })),
      )
      .execute()
    return id
  })
}

/** Changes a listing's state as a catalog process would. */
export const setState = (db: Db, id: string, state: ListingState): Promise<unknown> =>
  db.transaction().execute(async (transaction) => {
    const revision = await nextRevision(transaction)
    await transaction
      .updateTable('listings')
      .set({ state, revision })
      .where('id', '=', id)
      .execute()
  })

async function nextRevision(db: Db): Promise<bigint> {
  const { rows } = await sql<{
    revision: bigint
  }>`select next_catalog_revision() as revision`.execute(db)
  return rows[0]?.revision ?? 0n
}

/** The published listings in memory; one that cannot be read fails the read. */
export const catalogItems = (db: Db): CatalogItems =>
  new CatalogItems({
    db,
    onSkipped: (id, error) => {
      throw new Error(`listing ${id} cannot be read`, { cause: error })
    },
  })
