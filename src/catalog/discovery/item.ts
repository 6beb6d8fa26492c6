import { isoTime } from '../../platform/core/text/iso-time.ts'
import { describing } from '../items/listed-item.ts'
import type { ListingContent } from '../listing.ts'
import type { ListingDetail, OptionFacts } from '../store/discovery/discovery-listings.ts'
import type { CatalogItem } from './item-schema.ts'

/** A listing, and the places in its `accepts` of the options to show. */
export interface ShownListing {
  readonly detail: ListingDetail
  readonly places: readonly number[]
}

type Entry = CatalogItem['svc']['listings'][number]
type Option = CatalogItem['svc']['options'][number]

export const contentOf = ({ content }: ListingDetail): ListingContent => content as ListingContent

/**
 * The item of a resource, as the listing says that describes it.
 *
 * @param listings first published first; at least one
 */
export function itemOf(listings: readonly [ShownListing, ...ShownListing[]]): CatalogItem {
  const details = listings.map(({ detail }) => detail)
  const described = describing(details)
  const content = contentOf(described)
  const { method, toolName } = content
  const shown = listings.flatMap(optionsOf)
  return {
    resource: content.resource,
    type: content.kind,
    x402Version: 2,
    accepts: shown.map(({ accepted }) => accepted),
    lastUpdated: isoTime(Math.max(...details.map(({ updatedAt }) => updatedAt.getTime()))),
    extensions: extensionsOf(content),
    svc: {
      trust: described.trust,
      settlements: details.reduce((sum, { settlements }) => sum + settlements, 0),
      listings: details.map(entryOf),
      options: shown.map(({ option }) => option),
      ...(method !== undefined && { method }),
      ...(toolName !== undefined && { toolName }),
    },
    ...metadataOf(content),
  }
}

function metadataOf({ description, mimeType, serviceName, tags, iconUrl }: ListingContent) {
  return {
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(serviceName !== undefined && { serviceName }),
    ...(tags !== undefined && { tags }),
    ...(iconUrl !== undefined && { iconUrl }),
  }
}

/** The values of other extensions are left out: they may hold proofs and identifiers, which only their server and its clients need. */
function extensionsOf({ extensions, bazaar }: ListingContent): CatalogItem['extensions'] {
  const others = extensions.filter((key) => key !== 'bazaar').map((key) => [key, {}])
  return { ...Object.fromEntries(others), bazaar }
}

function optionsOf({ detail, places }: ShownListing) {
  const { accepts } = contentOf(detail)
  return places.flatMap((place) => {
    const [accepted, facts] = [accepts[place], detail.options[place]]
    return accepted ? [{ accepted, option: optionOf(detail.id, facts) }] : []
  })
}

function optionOf(listing: string, facts: OptionFacts | undefined): Option {
  const { symbol, name, decimals, receivable } = facts ?? {}
  return {
    listing,
    ...(isKnown(symbol) && { symbol }),
    ...(isKnown(name) && { name }),
    ...(isKnown(decimals) && { decimals }),
    ...(isKnown(receivable) && { receivable }),
  }
}

const isKnown = <T>(value: T | null | undefined): value is T =>
  value !== null && value !== undefined

function entryOf(detail: ListingDetail): Entry {
  const { id, network, version, trust, owner, settlements, host, domainClaim } = detail
  const checkedAt = oldestCheck(detail)
  return {
    id,
    network,
    version,
    trust,
    owner,
    settlements,
    firstCataloged: detail.firstCatalogedAt.toISOString(),
    lastSettled: detail.lastSettledAt.toISOString(),
    ...(checkedAt !== undefined && {
      stellar: {
        checkedAt,
        ...(domainClaim && { domain: { host, claimsOwner: domainClaim.claimsOwner } }),
      },
    }),
  }
}

/** ISO 8601; undefined while nothing was read. The decimals of an asset never change: their age says nothing. */
function oldestCheck({ options, domainClaim }: ListingDetail): string | undefined {
  const changing = [
    domainClaim?.checkedAtMs,
    ...options.map(({ payeeCheckedAtMs }) => payeeCheckedAtMs),
  ].filter(isKnown)
  const lasting = options.map(({ assetCheckedAtMs }) => assetCheckedAtMs).filter(isKnown)
  const known = changing.length > 0 ? changing : lasting
  return known.length > 0 ? isoTime(Math.min(...known)) : undefined
}
