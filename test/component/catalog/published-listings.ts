import { itemKeyOf } from '../../../src/catalog/items/item-key.ts'
import type { ListingContent } from '../../../src/catalog/listing.ts'
import { lockListing } from '../../../src/catalog/store/listings.ts'
import { changeListing, insertListing } from '../../../src/catalog/store/write-listing.ts'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { holderOf } from '../../../src/platform/http/host-holder.ts'

const OWNER = 'GCEZWKCA5VLDNRLN3RPRJMRZOX3Z6G5CHCGSNFHEYVXM3XOJMDS674JZ'

export type Network = 'stellar:testnet' | 'stellar:pubnet'

/** What a seller of something could declare. */
export const contentOf = (
  name: string,
  changes: Partial<ListingContent> = {},
  network: Network = 'stellar:testnet',
): ListingContent => ({
  resource: `https://${name}.example/v1/${name}`,
  kind: 'http',
  method: 'GET',
  serviceName: name,
  description: `Everything about ${name}`,
  extensions: ['bazaar'],
  bazaar: {
    info: { input: { type: 'http', method: 'GET', queryParams: { place: 'Lima' } } },
    schema: { type: 'object', properties: { place: { description: 'Name of a village' } } },
  },
  accepts: [
    {
      scheme: 'exact',
      network,
      asset: usdcContracts[network],
      payTo: OWNER,
      amount: '100000',
      maxTimeoutSeconds: 60,
    },
  ],
  ...changes,
})

/** Inserts a listing, published unless said otherwise; returns its id. */
export const insert = async (
  { db }: Pick<Store, 'db'>,
  content: ListingContent,
  { state = 'published' }: { readonly state?: 'pending' | 'published' } = {},
): Promise<string> => {
  const inserted = await inTransaction(db, (tx) =>
    insertListing(tx, {
      network: content.accepts[0]?.network ?? 'stellar:testnet',
      itemKey: itemKeyOf(content),
      host: new URL(content.resource).hostname,
      domain: holderOf(new URL(content.resource).hostname).domain,
      owner: OWNER,
      ownerAccount: OWNER,
      content,
      state,
      transaction: 'a'.repeat(64),
      settledAt: new Date(),
      outcome: {
        phase: 'settle',
        status: 'success',
        code: 'recorded',
        at: new Date().toISOString(),
      },
    }),
  )
  if (!inserted) throw new Error('not inserted')
  return inserted.id
}

/** Changes a listing as a check of its origin does. */
export const change = (
  { db }: Pick<Store, 'db'>,
  id: string,
  to: {
    readonly state?: 'published' | 'quarantined'
    readonly content?: ListingContent
    readonly trust?: 'origin_verified' | 'domain_verified'
  },
): Promise<number> =>
  inTransaction(db, async (tx) => {
    const listing = await lockListing(tx, id)
    if (!listing) throw new Error('no such listing')
    const cause = to.state === 'quarantined' ? 'quarantine' : 'origin_verification'
    return changeListing(tx, listing, { ...to, cause, ownerAccount: OWNER })
  })
