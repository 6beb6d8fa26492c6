import {
  type CatalogClient,
  CatalogFailure,
  catalogClient,
  type FoundItem,
} from '../../../buying/listings/catalog-client.ts'
import { listingFacts } from '../../../buying/listings/listing-facts.ts'
import { sellerHttp } from '../../../buying/seller/seller-http.ts'
import { command } from '../../command-line/command.ts'
import { flag } from '../../command-line/flags.ts'
import { printWhole } from '../../command-line/print.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { catalogFlagOf, catalogFlags, catalogUrl, facilitatorVariable } from './catalog-place.ts'
import { payerHere } from './payer-here.ts'
import { explainCatalog, noCatalog } from './search.ts'
import { shownListing } from './show-listing.ts'

const LISTING = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Characters of a query. */
const MAX_QUERY = 500

export const inspect = command({
  name: 'inspect',
  summary: 'shows one paid resource of the catalog of a facilitator',
  usage: ['svc inspect LISTING [--facilitator URL]', 'svc inspect URL [--facilitator URL]'],
  flags: { ...catalogFlags, json: flag('prints one JSON object, also for a failure') },
  positionals: ([subject, ...rest], { facilitator, catalog }) => {
    if (subject === undefined || rest.length > 0) {
      throw new UsageError('expected the id of a listing, or a URL')
    }
    if (!LISTING.test(subject) && !URL.canParse(subject)) {
      throw new UsageError(`expected the id of a listing, or a URL with its scheme, not ${subject}`)
    }
    return { subject, given: catalogFlagOf({ facilitator, catalog }, process.env) }
  },
  usageFailure: (message) => ({ error: 'usage', message }),
  notes: [
    'Shows a listing in any state by its id, a published one also by its URL. What stands behind a bar (|) are the',
    'words of its seller, which nobody has checked. svc pay URL --quote asks the seller itself for its price.',
  ],
  env: [facilitatorVariable],
  exits: { 0: 'it was found', 1: 'it was not found, or the catalog did not answer' },
  example: 'svc inspect https://api.example/joke',
  run: async ({ positionals: { subject, given }, flags: { dir, json } }) => {
    const url = await catalogUrl(given, dir)
    if (url === undefined) return noCatalog('inspect', json)
    await using http = sellerHttp()
    try {
      const item = await find(catalogClient(http, url), subject)
      const facts = listingFacts(item, payerHere(process.env))
      await printWhole(
        json ? `${JSON.stringify({ catalog: url, ...facts })}\n` : shownListing(facts),
      )
      return 0
    } catch (error) {
      return explainCatalog('inspect', error, json)
    }
  },
})

/** Throws CatalogFailure. */
async function find(catalog: CatalogClient, subject: string): Promise<FoundItem> {
  if (LISTING.test(subject)) return catalog.listing(subject)
  // The catalog lists a resource without the query and the fragment of its URL.
  const [wanted = ''] = subject.split(/[?#]/)
  const { items } = await catalog.search({ query: wanted.slice(0, MAX_QUERY), limit: '50' })
  const found = items.find(({ resource }) => resource === wanted)
  if (found) return found
  throw new CatalogFailure('not_found', `the catalog does not list ${wanted}`)
}
