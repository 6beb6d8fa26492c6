import { constraintsOf } from '../filters/catalog-filters.ts'
import { bothOf, type Constraints, describeConstraints, isEmpty } from '../filters/constraints.ts'
import { filterOf } from '../filters/filter.ts'
import type { ListedItem } from '../items/listed-item.ts'
import type { SearchIndex } from './index/search-index.ts'
import { parseQuestion } from './query/parse-question.ts'
import { queryTerms } from './query/query-terms.ts'
import { MAX_RANKED, rankCandidates } from './rank/rank-candidates.ts'
import { RANKING, type RankingSettings } from './rank/settings.ts'
import type { SearchMethod, SearchRequest } from './search-service.ts'
import { encodeStems } from './vectors/encode.ts'
import type { WordVectors } from './vectors/format.ts'

/** `vector` is the query's unit vector from the embeddings endpoint, for an index with `dense` vectors; without it word vectors serve. */
type VectorRequest = SearchRequest & Readonly<{ vector?: Float32Array }>

export type SearchResult = Readonly<{
  /** Best first, at most 200; empty when nothing in the catalog answers the query. */
  ranked: readonly ListedItem[]
  method: SearchMethod
  /** Constraints that were read from the words of the query, such as `network=stellar:testnet`. */
  recognised: readonly string[]
  /** Constraints of words and filters together. */
  constraints: Constraints
  /** The documents are the nearest there are, and may still not be what is wanted. */
  lowConfidence: boolean
}>

/** Ranks the documents that meet the constraints of a request by how well they answer its query. */
export function searchCatalog(
  index: SearchIndex,
  words: WordVectors | null,
  request: VectorRequest,
  settings: RankingSettings = RANKING,
): SearchResult {
  const { constraints: fromWords, rest, asksForTool } = parseQuestion(request.query, index.symbols)
  const constraints = bothOf(fromWords, constraintsOf(request.filters))
  const recognised = describeConstraints(fromWords)
  const isCandidate = candidates(index, constraints)
  const terms = queryTerms(rest, index, words, settings.rescueTypos)
  if (terms.all.length === 0)
    return {
      ranked: documentsAt(index, inCatalogOrder(isCandidate)),
      method: 'filter',
      recognised,
      constraints,
      lowConfidence: false,
    }
  const byEndpoint = request.vector !== undefined && index.dense !== null
  const vectors = byEndpoint ? index.dense : index.vectors
  const vector = byEndpoint
    ? (request.vector ?? null)
    : words && encodeStems(words, terms.all, 'question')
  const { ranked, lowConfidence } = rankCandidates(
    { index, words, terms, vectors, vector, asksForTool, settings },
    isCandidate,
  )
  return {
    ranked: documentsAt(index, ranked),
    method: vectors && (byEndpoint || words) ? 'hybrid' : 'lexical',
    recognised,
    constraints,
    lowConfidence,
  }
}

function candidates({ documents }: SearchIndex, constraints: Constraints): Uint8Array {
  if (isEmpty(constraints)) return new Uint8Array(documents.length).fill(1)
  const { matches } = filterOf(constraints)
  return Uint8Array.from(documents, ({ listings }) => (matches(listings) ? 1 : 0))
}

const inCatalogOrder = (isCandidate: Uint8Array): number[] => {
  const found: number[] = []
  for (let at = 0; at < isCandidate.length && found.length < MAX_RANKED; at += 1)
    if (isCandidate[at] === 1) found.push(at)
  return found
}

const documentsAt = ({ documents }: SearchIndex, places: readonly number[]): ListedItem[] =>
  places.map((at) => documents[at] as ListedItem)
