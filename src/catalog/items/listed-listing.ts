import { baseAddress } from '../../stellar/accounts/strkey.ts'
import type { FilterableOption } from '../filters/filter.ts'
import type { ListingContent, PaymentOption } from '../listing.ts'
import type { ChangedListing } from '../store/discovery/catalog-changes.ts'
import type { ListedListing, ListedText } from './listed-item.ts'
import { schemaWords } from './schema-words.ts'

/** The facts of an asset on the ledger. */
type Facts = Pick<FilterableOption, 'symbol' | 'decimals'> | undefined

/** Undefined for a listing that is not published. */
export function listedListing(
  changed: ChangedListing,
  factsOf: (network: string, asset: string) => Facts,
): ListedListing | undefined {
  if (changed.content === null) return undefined
  const { id, network, kind, trust, host, extensions, firstPublishedUs } = changed
  const content = changed.content as ListingContent
  return {
    ...{ id, network, kind, trust, extensions, firstPublishedUs },
    options: content.accepts.map((option) =>
      filterableOption(option, factsOf(network, option.asset)),
    ),
    text: textOf(content, host),
  }
}

export const filterableOption = (
  { scheme, payTo, asset, amount }: PaymentOption,
  facts: Facts,
): FilterableOption => ({
  scheme,
  payTo,
  account: baseAddress(payTo),
  asset,
  amount: BigInt(amount),
  symbol: facts?.symbol ?? null,
  decimals: facts?.decimals ?? null,
})

function textOf(content: ListingContent, host: string): ListedText {
  const { info, schema } = content.bazaar
  return {
    name: [content.toolName, content.serviceName].filter((name) => name !== undefined).join(' '),
    host,
    path: pathOf(content),
    tags: content.tags ?? [],
    description: content.description ?? '',
    schema: schemaWords(schema, info),
  }
}

/** The resource is an origin and a path, or an origin and a template of one. */
const pathOf = ({ resource }: ListingContent): string => {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(resource)?.[0] ?? ''
  return resource.slice(origin.length)
}
