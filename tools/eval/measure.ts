import type { ListedItem } from '../../src/catalog/items/listed-item.ts'
import { buildSearchIndex, type SearchIndex } from '../../src/catalog/search/index/search-index.ts'
import type { RankingSettings } from '../../src/catalog/search/rank/settings.ts'
import { searchCatalog } from '../../src/catalog/search/search.ts'
import type { WordVectors } from '../../src/catalog/search/vectors/format.ts'
import type { Query } from './judged-set.ts'

/** The figures of one query. Those of a query without relevant listings are 0 and count nowhere. */
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

/** Grades of the listings that are relevant to a query, by id; others have none. */
type Grades = Readonly<Record<string, number>>

/** Normalised discounted cumulative gain of the first 10, with gains of 2^grade - 1 (Järvelin and Kekäläinen 2002). */
function ndcgAt10(ranked: readonly string[], relevant: Grades): number {
  const ideal = Object.values(relevant).toSorted((a, b) => b - a)
  return gainOf(ranked.map((id) => relevant[id] ?? 0)) / gainOf(ideal)
}

const gainOf = (grades: readonly number[]): number =>
  grades.slice(0, 10).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0)

/** Which share of the relevant listings is among the first 20. */
function recallAt20(ranked: readonly string[], relevant: Grades): number {
  const first = new Set(ranked.slice(0, 20))
  const wanted = Object.keys(relevant)
  return wanted.filter((id) => first.has(id)).length / wanted.length
}

/** 1 divided by the place of the first relevant listing; 0 when there is none. */
function reciprocalRank(ranked: readonly string[], relevant: Grades): number {
  const at = ranked.findIndex((id) => id in relevant)
  return at === -1 ? 0 : 1 / (at + 1)
}
