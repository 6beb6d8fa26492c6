import { itemKeyOf } from '../../../src/catalog/items/item-key.ts'
import type { SearchAnswer } from '../../../src/catalog/search/search-service.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { content, putListing } from '../../support/catalog-listing.ts'

const COUNT = 25

export const urlOf = (at: number): string => `https://shop.example/search/${at}`

/** Of the listings, in the order of a search that finds them all. */
export const rankedKeys: readonly string[] = Array.from({ length: COUNT }, (_, at) =>
  itemKeyOf(content(urlOf(at))),
)

export const answer = (overrides: Partial<SearchAnswer> = {}): SearchAnswer => ({
  itemKeys: rankedKeys,
  method: 'hybrid',
  recognised: [],
  lowConfidence: false,
  partialResults: false,
  revision: 7,
  ...overrides,
})

/** Puts the listings that a search may rank; returns their ids. */
export async function putRanked({ db }: Pick<Store, 'db'>): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < COUNT; at += 1)
    ids.push(await putListing(db, { content: content(urlOf(at)) }))
  return ids
}

export const urlsOf = (body: { resources: { resource: string }[] }): string[] =>
  body.resources.map(({ resource }) => resource)
