import type { NetworkId } from '../../platform/core/caip2.ts'
import type { FilterableListing } from '../filters/filter.ts'
import { type ListingKind, type Trust, trustLevels } from '../store/tables.ts'

/** The words with which a seller describes a listing: search reads them. */
export type ListedText = Readonly<{
  /** Service or tool name. */
  name: string
  host: string
  /** Path of the URL, or its template. */
  path: string
  tags: readonly string[]
  description: string
  /** Names and descriptions of inputs and outputs. */
  schema: string
}>

/** A published listing in memory; the rest of its content stays in the database. */
export interface ListedListing extends FilterableListing {
  readonly id: string
  readonly network: NetworkId
  readonly kind: ListingKind
  readonly trust: Trust
  /** Microseconds since the Unix epoch, as precise as the database has it. */
  readonly firstPublishedUs: number
  readonly text: ListedText
}

/** A resource: its published listings on all networks. It never changes: another one replaces it. */
export interface ListedItem {
  /** `itemKeyOf` its listings. */
  readonly key: string
  readonly kind: ListingKind
  /** Its place in the catalog's order. */
  readonly firstPublishedUs: number
  /** First published first; at least one. */
  readonly listings: readonly ListedListing[]
  /** The text of the listing that describes it. */
  readonly text: ListedText
}

interface Ranked {
  readonly network: string
  readonly trust: Trust
}

/**
 * The listing that describes a resource: the one with the highest trust, of these the first. A later payee on another
 * network, whom neither origin nor host confirms, cannot rename a resource; nor can an earlier one on a test network, where
 * payments cost nothing, rename one that is sold on the public network.
 *
 * @param listings first published first; at least one
 */
export const describing = <T extends Ranked>(listings: readonly T[]): T =>
  listings.reduce((best, each) => (rankOf(each) > rankOf(best) ? each : best))

const rankOf = ({ network, trust }: Ranked): number =>
  trust === 'settled' && network === 'stellar:testnet' ? -1 : trustLevels.indexOf(trust)
