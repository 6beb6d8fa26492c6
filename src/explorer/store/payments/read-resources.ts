import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { readBoughtListings } from '../catalog/purchases.ts'
import { type OwnListing, readOwnListings } from '../registry/own-listings.ts'

/** A payment, with the words that a catalog has for its seller: null for one that no catalog names. */
export interface SellersPayment {
  readonly network: NetworkId
  readonly txHash: string
  readonly seller: string
  readonly listed: Listed | null
}

interface Listed {
  readonly serviceName: string | null
  readonly resource: string | null
}

/** What was bought, and by which name, as far as it is known. */
export interface Bought {
  readonly serviceName: string | null
  /** The listing for which our own settlement of the payment was recorded: the template, not the URL that was paid. */
  readonly resource: string | null
  /** Without such a record: what a catalog lists for the seller, of which it may have been any, or none. */
  readonly resourceCandidates: readonly string[]
}

const MAX_CANDIDATES = 10

/** The same payments in the same order, each with what was bought. */
export async function withBought<Payment extends SellersPayment>(
  db: Db,
  payments: readonly Payment[],
): Promise<readonly (Payment & Bought)[]> {
  const listed = payments.filter((payment) => payment.listed !== null)
  const sellers = new Map(
    listed.map(({ network, seller }) => [`${network} ${seller}`, { network, payTo: seller }]),
  )
  const [recorded, own] = await Promise.all([
    readRecorded(db, listed),
    readOwnListings(db, [...sellers.values()], MAX_CANDIDATES),
  ])
  const bySeller = Map.groupBy(own, ({ network, payTo }) => `${network} ${payTo}`)
  return payments.map((payment) => ({
    ...payment,
    ...(recorded.get(`${payment.network} ${payment.txHash}`) ??
      unknownOf(payment.listed, bySeller.get(`${payment.network} ${payment.seller}`) ?? [])),
  }))
}

/** By network and hash. */
async function readRecorded(
  db: Db,
  payments: readonly SellersPayment[],
): Promise<ReadonlyMap<string, Bought>> {
  const bought = await readBoughtListings(db, payments)
  return new Map(
    bought.map(({ network, txHash, ...listing }) => [
      `${network} ${txHash}`,
      { ...listing, resourceCandidates: [] },
    ]),
  )
}

const unknownOf = (listed: Listed | null, own: readonly OwnListing[]): Bought => ({
  serviceName: own.length === 0 ? (listed?.serviceName ?? null) : commonName(own),
  resource: null,
  resourceCandidates:
    own.length === 0
      ? [listed?.resource ?? []].flat()
      : [...new Set(own.map(({ resource }) => resource))],
})

/** The one name that all listings have. A stranger's listing takes it from no seller who has proven one. */
function commonName(own: readonly OwnListing[]): string | null {
  const proven = own.filter(({ isProven }) => isProven)
  const names = new Set((proven.length > 0 ? proven : own).map(({ serviceName }) => serviceName))
  const [name = null] = names
  return names.size === 1 ? name : null
}
