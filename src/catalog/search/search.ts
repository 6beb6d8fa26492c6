import type { SearchIndex } from './index/search-index.ts'
import { bothOf, type Constraints, describeConstraints, isEmpty } from './query/constraints.ts'
import { constraintsOfFilters, type SearchFilters } from './query/filters.ts'
import { matchingOptions } from './query/matches.ts'
import { parseQuestion } from './query/parse-question.ts'
import { queryTerms } from './query/query-terms.ts'
import { MAX_RANKED, rankCandidates } from './rank/rank-candidates.ts'
import { RANKING, type RankingSettings } from './rank/settings.ts'
import type { SearchDocument } from './search-document.ts'
import { encodeStems } from './vectors/encode.ts'
import type { WordVectors } from './vectors/format.ts'

/** How an answer was found: `hybrid` compares words and meaning, `lexical` words alone, `filter` only the constraints. */
type SearchMethod = 'hybrid' | 'lexical' | 'filter'

export type SearchRequest = Readonly<{
  /** What the caller wants, in words. */
  query: string
  filters: SearchFilters
  /** The query's unit vector from the embeddings endpoint, for an index with `dense` vectors; without it word vectors serve. */
  vector?: Float32Array
}>

export type SearchResult = Readonly<{
  /** Best first, at most 200; empty when nothing in the catalog answers the query. */
  ranked: readonly SearchDocument[]
  method: SearchMethod
  /** Constraints that were read from the words of the query, such as `network=stellar:testnet`. */
  recognised: readonly string[]
  /** Constraints of words and filters together; `matchingOptions` tells which options of a document meet them. */
  constraints: Constraints
  /** The documents are the nearest there are, and may still not be what is wanted. */
  lowConfidence: boolean
}>

/** Ranks the documents that meet the constraints of a request by how well they answer its query. */
export function searchCatalog(
  index: SearchIndex,
  words: WordVectors | null,
  request: SearchRequest,
  settings: RankingSettings = RANKING,
): SearchResult {
  const { constraints: fromWords, rest, asksForTool } = parseQuestion(request.query, index.symbols)
  const constraints = bothOf(fromWords, constraintsOfFilters(request.filters))
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
  return Uint8Array.from(documents, (document) =>
    matchingOptions(document, constraints).length > 0 ? 1 : 0,
  )
}

const inCatalogOrder = (isCandidate: Uint8Array): number[] => {
  const found: number[] = []
  for (let at = 0; at < isCandidate.length && found.length < MAX_RANKED; at += 1)
    if (isCandidate[at] === 1) found.push(at)
  return found
}

const documentsAt = ({ documents }: SearchIndex, places: readonly number[]): SearchDocument[] =>
  places.map((at) => documents[at] as SearchDocument)
