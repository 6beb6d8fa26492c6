import { CatalogFailure, catalogClient } from '../../../buying/listings/catalog-client.ts'
import { listingFacts } from '../../../buying/listings/listing-facts.ts'
import { sellerHttp } from '../../../buying/seller/seller-http.ts'
import { typed } from '../../../platform/core/text/typed-command.ts'
import { command } from '../../command-line/command.ts'
import { flag, networkId, number, text } from '../../command-line/flags.ts'
import { printWhole } from '../../command-line/print.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { catalogFlagOf, catalogFlags, catalogUrl, facilitatorVariable } from './catalog-place.ts'
import { payerHere } from './payer-here.ts'
import { shownListing } from './show-listing.ts'

const MAX_RESULTS = 50

export const search = command({
  name: 'search',
  summary: 'finds paid resources in the catalog of a facilitator',
  usage: ['svc search WORDS [--network ID] [--max AMOUNT] [--facilitator URL]'],
  flags: {
    network: networkId('only what can be paid on this network'),
    max: text('AMOUNT', 'only what costs at most this, in US dollars'),
    limit: number('N', 'how many at most', { min: 1, max: MAX_RESULTS, fallback: 10 }),
    ...catalogFlags,
    json: flag('prints one JSON object, also for a failure'),
  },
  positionals: (words, { max, facilitator, catalog }) => {
    if (words.join('').trim() === '') throw new UsageError('expected words to search for')
    if (max !== undefined && !/^\d{1,15}(\.\d{1,18})?$/.test(max)) {
      throw new UsageError(`--max is an amount of US dollars such as 0.05, not ${max}`)
    }
    return { query: words.join(' '), given: catalogFlagOf({ facilitator, catalog }, process.env) }
  },
  usageFailure: (message) => ({ error: 'usage', message }),
  notes: [
    'What stands behind a bar (|) are the words of sellers, which nobody has checked. svc inspect shows a listing;',
    'svc pay URL --quote asks the seller itself for its price.',
  ],
  env: [facilitatorVariable],
  exits: { 0: 'something was found', 1: 'nothing was found, or the catalog did not answer' },
  example: "svc search 'weather forecast' --max 0.05",
  run: async ({ positionals: { query, given }, flags }) => {
    const { network, max, limit = 10, dir, json } = flags
    const url = await catalogUrl(given, dir)
    if (url === undefined) return noCatalog('search', json)
    await using http = sellerHttp()
    try {
      const found = await catalogClient(http, url).search({
        query,
        limit: String(limit),
        ...(network && { network }),
        ...(max !== undefined && { maxPrice: max }),
      })
      const payer = payerHere(process.env)
      const facts = found.items.map((item) => listingFacts(item, payer))
      const shown = facts.map((each, place) => shownListing(each, place + 1)).join('\n')
      const { hasMore, isUnsure } = found
      await printWhole(
        json ? `${JSON.stringify({ catalog: url, resources: facts, hasMore, isUnsure })}\n` : shown,
      )
      if (!json) say(notesOf(facts.length, found, url))
      return facts.length > 0 ? 0 : 1
    } catch (error) {
      return explainCatalog('search', error, json)
    }
  },
})

const say = (lines: readonly string[]) => {
  for (const line of lines) process.stderr.write(`svc search: ${line}\n`)
}

function notesOf(
  count: number,
  { hasMore, isUnsure }: { readonly hasMore: boolean; readonly isUnsure: boolean },
  url: string,
): readonly string[] {
  if (count === 0) return [`the catalog of ${url} has nothing that answers this`]
  return [
    ...(isUnsure ? ['these may not be what was asked for'] : []),
    ...(hasMore ? ['there are more: raise --limit, or ask more precisely'] : []),
  ]
}

/** @returns the exit code */
export function noCatalog(name: string, json: boolean): number {
  const message = `no demo runs here. Start one with ${typed().demo()}, or give --facilitator URL`
  if (json) process.stdout.write(`${JSON.stringify({ error: 'no_demo', message })}\n`)
  process.stderr.write(`svc ${name}: ${message}.\n`)
  return 1
}

/** @returns the exit code. Throws what is no CatalogFailure */
export function explainCatalog(name: string, error: unknown, json: boolean): number {
  if (!(error instanceof CatalogFailure)) throw error
  const { code, message } = error
  if (json) process.stdout.write(`${JSON.stringify({ error: code, message })}\n`)
  process.stderr.write(`svc ${name}: ${message}.\n`)
  return 1
}
