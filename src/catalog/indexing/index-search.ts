import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { SearchIndex } from '../search/index/search-index.ts'
import { RANKING } from '../search/rank/settings.ts'
import { searchCatalog } from '../search/search.ts'
import type { SearchAnswer, SearchRequest, SearchService } from '../search/search-service.ts'
import type { WordVectors } from '../search/vectors/format.ts'
import type { DenseIndex } from './dense-index.ts'
import type { QuestionEmbeddings } from './question-embeddings.ts'
import type { SearchIndexer } from './search-indexer.ts'

export interface IndexSearchOptions {
  readonly indexer: Pick<SearchIndexer, 'current'>
  /** The word vectors that ship with the project; null when they could not be loaded. */
  readonly words: WordVectors | null
  /** Present with an embeddings endpoint. */
  readonly embeddings?:
    | { readonly dense: DenseIndex; readonly questions: QuestionEmbeddings }
    | undefined
  /** Cosine below which the vectors of the endpoint find nothing. */
  readonly similarityFloor: number
  readonly clock: SteadyClock
  /** Called after each search. */
  readonly onSearched: (method: SearchAnswer['method'], ms: number) => void
}

/** Answers searches from the index in this process's memory. */
export const indexSearch = (options: IndexSearchOptions): SearchService => ({
  async search(request) {
    const { indexer, words, similarityFloor, clock, onSearched } = options
    const { current } = indexer
    if (!current) return undefined
    const startedAt = clock.monotonic()
    const { index, vector, partialResults } = await chooseIndex(request, current.index, options)
    const { query, filters } = request
    const asked = { query, filters, ...(vector && { vector }) }
    const found = searchCatalog(index, words, asked, { ...RANKING, similarityFloor })
    onSearched(found.method, clock.monotonic() - startedAt)
    return {
      itemKeys: found.ranked.map(({ key }) => key),
      method: found.method,
      recognised: found.recognised,
      lowConfidence: found.lowConfidence,
      partialResults,
      revision: current.revision,
    }
  },
})

/** The vectors of the endpoint need one of the question; when there is none, the shipped ones serve. */
async function chooseIndex(
  { query }: SearchRequest,
  index: SearchIndex,
  { embeddings }: IndexSearchOptions,
) {
  if (!embeddings) return { index, partialResults: false }
  const { dense, questions } = embeddings
  const denseIndex = dense.of(index)
  // Before the first vectors have arrived nothing is left out yet: the endpoint has not failed.
  if (!denseIndex) return { index, partialResults: dense.hasFailed }
  const vector = await questions.of(query)
  if (!vector) return { index, partialResults: true }
  return { index: denseIndex, vector, partialResults: dense.hasFailed }
}
