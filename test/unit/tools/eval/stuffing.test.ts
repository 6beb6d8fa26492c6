import { expect, test } from 'vitest'
import { buildSearchIndex } from '../../../../src/catalog/search/index/search-index.ts'
import { searchCatalog } from '../../../../src/catalog/search/search.ts'
import { loadWordVectors } from '../../../../src/catalog/search/vectors/load.ts'
import {
  documentOf,
  type Listing,
  readListings,
  readQueries,
} from '../../../../tools/eval/judged-set.ts'

const words = await loadWordVectors()
const listings = readListings()
const queries = readQueries().filter((query) => query.class !== 'unanswerable')
const judged = new Set(queries.flatMap(({ relevant }) => Object.keys(relevant)))

const keywords = ({ name, tags }: Listing): string => `${name} ${tags.join(' ')} `
const thrice = (text: string): string => `${text} ${text} ${text}`

const WAYS: Readonly<Record<string, (honest: Listing) => Partial<Listing>>> = {
  'its description and tags three times': ({ description, tags }) => ({
    description: thrice(description),
    tags: [...tags, ...tags, ...tags],
  }),
  'its name and tags ten times in the description': (honest) => ({
    description: `${honest.description} ${keywords(honest).repeat(10)}`,
  }),
  'its keywords in every field': (honest) => ({
    name: thrice(keywords(honest)),
    path: `${honest.path}/${honest.tags.join('/')}`,
    tags: [...honest.tags, ...honest.name.split(/[ _]/)],
    description: `${honest.description} ${keywords(honest).repeat(10)} best fast cheap`,
    schema: `${honest.schema} ${keywords(honest)}`,
  }),
}

test.each(Object.entries(WAYS))(
  'no copy of a judged listing that has %s ranks above it',
  (_, stuff) => {
    const copies = listings
      .filter(({ id }) => judged.has(id))
      .map((honest) => ({ ...honest, ...stuff(honest), id: `${honest.id} stuffed` }))
    // Where scores are equal the catalog's order decides, and the honest listing was there first.
    const index = buildSearchIndex([...listings, ...copies].map(documentOf), words)
    const above = queries.flatMap(({ query, relevant }) => {
      const { ranked } = searchCatalog(index, words, { query, filters: {} })
      const places = new Map(ranked.map(({ key }, at) => [key, at]))
      return Object.keys(relevant).filter((id) => {
        const stuffed = places.get(`${id} stuffed`)
        return stuffed !== undefined && stuffed < (places.get(id) ?? Number.POSITIVE_INFINITY)
      })
    })
    expect(above).toEqual([])
  },
)
