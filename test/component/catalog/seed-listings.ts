/** Listings as a settled payment leaves them, and what a test reads of them. */
import { randomBytes } from 'node:crypto'
import { Keypair } from '@stellar/stellar-sdk'
import { itemKeyOf } from '../../../src/catalog/items/item-key.ts'
import type { ListingContent, ListingOutcome, PaymentOption } from '../../../src/catalog/listing.ts'
import type { LockedListing } from '../../../src/catalog/store/listings.ts'
import { changeListing, insertListing } from '../../../src/catalog/store/write-listing.ts'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { holderOf } from '../../../src/platform/http/host-holder.ts'

export const network = 'stellar:testnet'

export const address = (): string => Keypair.random().publicKey()

export const optionTo = (payTo: string, asset: string = usdcContracts[network]): PaymentOption => ({
  scheme: 'exact',
  network,
  asset,
  payTo,
  amount: '100000',
  maxTimeoutSeconds: 60,
  extra: { areFeesSponsored: true },
})

/** Paid with `upto`; the amount is the ceiling. */
export const uptoOptionTo = (payTo: string): PaymentOption => ({
  ...optionTo(payTo),
  scheme: 'upto',
  amount: '500000',
  extra: {
    areFeesSponsored: true,
    profile: 'authority-v1',
    uptoContract: 'CAAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQC526',
    authority: 'GAJZR5RMNUNEK7CRXJVEWXZ5XUXWT7FJGILCDDOITF7EC26RPWJ4UVOE',
  },
})

/** What the extension of a GET resource without parameters declares. */
export const bazaarOf = (method: string, more: object = {}) => ({
  info: { input: { type: 'http', method, ...more } },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { input: { type: 'object' } },
    required: ['input'],
  },
})

export const httpContent = (
  resource: string,
  payTo: string,
  changes: Partial<ListingContent> = {},
): ListingContent => ({
  resource,
  kind: 'http',
  method: 'GET',
  description: 'Weather',
  mimeType: 'application/json',
  extensions: ['bazaar'],
  bazaar: bazaarOf(changes.method ?? 'GET'),
  accepts: [optionTo(payTo)],
  ...changes,
})

export interface SeededListing {
  readonly content: ListingContent
  readonly owner: string
  readonly state?: 'pending' | 'published'
  readonly transaction?: string
}

/** Inserts version 1. */
export async function seedListing(
  { db }: Pick<Store, 'db'>,
  { content, owner, state = 'pending', transaction = anyHash() }: SeededListing,
): Promise<LockedListing> {
  const url = URL.parse(content.resource)
  const host = content.resource.startsWith('http') ? (url?.hostname ?? '') : ''
  const inserted = await inTransaction(db, (tx) =>
    insertListing(tx, {
      network,
      itemKey: itemKeyOf(content),
      host,
      domain: holderOf(host).domain,
      owner,
      ownerAccount: owner,
      content,
      state,
      transaction,
      settledAt: new Date(),
      outcome: {
        phase: 'settle',
        status: 'processing',
        code: 'awaiting_origin_verification',
        at: new Date().toISOString(),
      },
    }),
  )
  if (!inserted) throw new Error('the resource is listed already')
  return inserted
}

/** Inserts a listing that its origin has confirmed. */
export async function seedVerified(
  store: Pick<Store, 'db'>,
  seeded: Omit<SeededListing, 'state'>,
): Promise<LockedListing> {
  const listing = await seedListing(store, seeded)
  await inTransaction(store.db, (transaction) =>
    changeListing(transaction, listing, {
      cause: 'origin_verification',
      state: 'published',
      trust: 'origin_verified',
      ownerAccount: seeded.owner,
    }),
  )
  return listing
}

export const anyHash = (): string => randomBytes(32).toString('hex')

export async function readListing({ db }: Pick<Store, 'db'>, id: string) {
  const row = await db.selectFrom('listings').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw new Error('no such listing')
  return {
    ...row,
    content: row.content as ListingContent,
    last_outcome: row.last_outcome as ListingOutcome,
  }
}

export const versionsOf = async ({ db }: Pick<Store, 'db'>, id: string) =>
  db
    .selectFrom('listing_versions')
    .select(['version', 'cause', 'state', 'trust', 'owner', 'transaction'])
    .where('listing_id', '=', id)
    .orderBy('version')
    .execute()
