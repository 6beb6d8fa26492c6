import type { OrderedListing, OrderedOption } from '../store/discovery/discovery-changes.ts'

/** Filters of the list, which search has too. An absent one lets everything through. */
export interface ItemFilters {
  readonly type?: string | undefined
  /** A `G...` address also matches muxed addresses on it. */
  readonly payTo?: string | undefined
  readonly scheme?: string | undefined
  readonly network?: string | undefined
  /** Keys that the resource must declare, each of them. */
  readonly extensions?: readonly string[] | undefined
}

const NONE: readonly OrderedOption[] = []

/** The options of a listing that meet all filters, each option all of them; none when the listing itself does not. */
export function matchesOf(
  listing: OrderedListing,
  { type, payTo, scheme, network, extensions }: ItemFilters,
): readonly OrderedOption[] {
  if (type !== undefined && listing.kind !== type) return NONE
  // Every option of a listing is on its network.
  if (network !== undefined && listing.network !== network) return NONE
  if (extensions?.every((key) => listing.extensions.includes(key)) === false) return NONE
  if (payTo === undefined && scheme === undefined) return listing.options
  return listing.options.filter(
    (option) =>
      (scheme === undefined || option.scheme === scheme) &&
      (payTo === undefined || option.payTo === payTo || option.account === payTo),
  )
}
