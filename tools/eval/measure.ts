import type { ListedItem } from '../../src/catalog/items/listed-item.ts'
import { buildSearchIndex, type SearchIndex } from '../../src/catalog/search/index/search-index.ts'
import type { RankingSettings } from '../../src/catalog/search/rank/settings.ts'
import { searchCatalog } from '../../src/catalog/search/search.ts'
import type { WordVectors } from '../../src/catalog/search/vectors/format.ts'
import type { Query } from './judged-set.ts'
import { ndcgAt10, recallAt20, reciprocalRank } from './metrics.ts'

/** What a search made of one query. The three figures of a query without relevant listings are 0 and count nowhere. */
export type Measured = Readonly<{
  query: Query
  ndcg: number
  recall: number
  reciprocalRank: number
  abstained: boolean
  lowConfidence: boolean
}>

/** Searches for every query, under given settings. `words` null compares words only. */
export function measure(
  documents: readonly ListedItem[],
  queries: readonly Query[],
  words: WordVectors | null,
  settings: RankingSettings,
): Measured[] {
  const index = buildSearchIndex(documents, words)
  return queries.map((query) => measureQuery(index, words, settings, query))
}

function measureQuery(
  index: SearchIndex,
  words: WordVectors | null,
  settings: RankingSettings,
  query: Query,
): Measured {
  const request = { query: query.query, filters: {} }
  const { ranked, lowConfidence } = searchCatalog(index, words, request, settings)
  const ids = ranked.map(({ key }) => key)
  const isAnswerable = query.class !== 'unanswerable'
  return {
    query,
    ndcg: isAnswerable ? ndcgAt10(ids, query.relevant) : 0,
    recall: isAnswerable ? recallAt20(ids, query.relevant) : 0,
    reciprocalRank: isAnswerable ? reciprocalRank(ids, query.relevant) : 0,
    abstained: ids.length === 0,
    lowConfidence,
  }
}
