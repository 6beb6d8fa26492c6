import type { Store } from '../../../../src/platform/database/open.ts'
import { content, option, putListing } from '../../../support/catalog-listing.ts'
import { putOutcome } from '../../../support/catalog-outcomes.ts'
import { full, pubnet, testnet, who } from './small-ledger.ts'
import { type ExplorerWorld, fillPayments, openWorld, registerSeller } from './world.ts'

/** Two resources of the shop in our catalog; `full` paid for the later one. */
export async function sellTwice({ db }: Store): Promise<void> {
  const accepts = [option({ payTo: who.shop })]
  const shown = { serviceName: 'Shop', accepts }
  await putListing(db, { content: content(shopResources.first, shown) })
  const listingId = await putListing(db, { content: content(shopResources.later, shown) })
  await putOutcome(db, { transaction: full.txHash, payTo: who.shop, listingId })
}

export const shopResources = {
  first: 'https://shop.example/api',
  later: 'https://shop.example/jokes/:topic',
} as const

/** The payments of the small ledger, a seller that was paid and one that was not. */
export const openInterfaceWorld = (): Promise<ExplorerWorld> =>
  openWorld(async (store) => {
    await fillPayments(store, { 'stellar:testnet': testnet, 'stellar:pubnet': pubnet })
    await registerSeller(store, 'stellar:testnet', { address: who.shop, name: 'Shop' })
    await registerSeller(store, 'stellar:testnet', { address: who.listed, name: 'Listed' })
    await sellTwice(store)
  })
