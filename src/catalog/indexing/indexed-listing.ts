import type { NetworkId } from '../../platform/core/caip2.ts'
import { baseAddress } from '../../stellar/accounts/strkey.ts'
import type { ListingContent, PaymentOption } from '../listing.ts'
import type { SearchDocument, SearchOption } from '../search/search-document.ts'
import type { ChangedListing } from '../store/discovery/index-source.ts'
import type { Trust } from '../store/tables.ts'
import { schemaWords } from './schema-words.ts'

/** An option before the ledger was read for its asset. */
type OptionWithoutFacts = Omit<SearchOption, 'symbol' | 'decimals' | 'network'> & {
  readonly network: NetworkId
}

/** A published listing as the index needs it: less than what is stored, since all are kept in memory. */
export interface IndexedListing {
  readonly id: string
  readonly network: NetworkId
  /** Milliseconds. */
  readonly firstPublishedAt: number
  readonly trust: Trust
  readonly text: Omit<SearchDocument, 'id' | 'options'>
  readonly options: readonly OptionWithoutFacts[]
}

/** Undefined for a listing that is not published. */
export function indexedListing({
  id,
  network,
  published,
}: ChangedListing): IndexedListing | undefined {
  if (!published) return undefined
  const { firstPublishedAt, host, trust } = published
  const content = published.content as ListingContent
  const { info, schema } = content.bazaar
  return {
    id,
    network,
    firstPublishedAt,
    trust,
    text: {
      type: content.kind,
      name: [content.toolName, content.serviceName].filter((name) => name !== undefined).join(' '),
      host,
      path: pathOf(content),
      tags: content.tags ?? [],
      description: content.description ?? '',
      schema: schemaWords(schema, info),
      extensions: content.extensions,
    },
    options: content.accepts.map(optionOf),
  }
}

/** The resource is an origin and a path, or an origin and a template of one. */
const pathOf = ({ resource }: ListingContent): string => {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(resource)?.[0] ?? ''
  return resource.slice(origin.length)
}

const optionOf = ({ network, scheme, payTo, asset, amount }: PaymentOption) => ({
  network,
  scheme,
  payTo,
  baseAccount: baseAddress(payTo),
  asset,
  amount: BigInt(amount),
})
