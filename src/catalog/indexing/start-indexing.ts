import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { CatalogItems } from '../items/catalog-items.ts'
import { RANKING } from '../search/rank/settings.ts'
import type { SearchAnswer, SearchService } from '../search/search-service.ts'
import { loadWordVectors } from '../search/vectors/load.ts'
import { startIndexBuilder } from '../search/worker/index-builder.ts'
import { DenseIndex } from './dense-index.ts'
import { DocumentEmbeddings, type Embedder } from './document-embeddings.ts'
import { indexSearch } from './index-search.ts'
import { publishBuilds, type ReportedBuild } from './publish-build.ts'
import { QuestionEmbeddings } from './question-embeddings.ts'
import { RecentCount } from './recent-count.ts'
import { SearchIndexer } from './search-indexer.ts'
import { SearchTimes } from './search-times.ts'

/** These parts can fail: reading the catalog and building, the embeddings endpoint, and publishing the build. */
type IndexingTask = 'search_index' | 'embeddings' | 'search_build'

export interface IndexingOptions {
  readonly db: Db
  readonly items: CatalogItems
  readonly clock: SteadyClock
  /** Names this process in the store. */
  readonly replica: string
  /** The embeddings endpoint. @default none: the word vectors that ship with the project */
  readonly embedder?: Embedder | undefined
  /** Cosine below which the vectors of the endpoint find nothing. @default 0.3 */
  readonly similarityFloor?: number | undefined
  readonly onError: (error: unknown, task: IndexingTask) => void
  /** Called after each build, also a failed one. */
  readonly onBuilt: (build: ReportedBuild, tookMs: number) => void
  readonly onSearched: (method: SearchAnswer['method'], ms: number) => void
}

/** The search of this process. Disposing of it ends its background work. */
export interface Indexing extends AsyncDisposable {
  readonly search: SearchService
  /** A listing has changed. */
  wake(): void
  /** The report of this process on its index; undefined before the first build has ended. */
  build(): ReportedBuild | undefined
}

/** Builds the search index in the background, and goes on doing so when listings change. */
export async function startIndexing(options: IndexingOptions): Promise<Indexing> {
  const { db, items, clock, replica, embedder, onError, onBuilt, onSearched } = options
  const words = await loadWordVectors()
  const builder = startIndexBuilder(words)
  const times = new SearchTimes(clock)
  const failures = new RecentCount(clock)
  const onEmbeddingFailure = (error: unknown) => {
    failures.add()
    onError(error, 'embeddings')
  }
  const embeddings = embedder && {
    dense: new DenseIndex({
      embeddings: new DocumentEmbeddings(db, embedder),
      clock,
      onError: onEmbeddingFailure,
      onChanged: () => publisher.wake(),
    }),
    questions: new QuestionEmbeddings({ embedder, clock, onError: onEmbeddingFailure }),
  }
  const indexer = new SearchIndexer({
    items,
    clock,
    builder,
    prepare: (index) => embeddings?.dense.adopt(index) ?? Promise.resolve(),
    onError: (error) => onError(error, 'search_index'),
    onBuilt: ({ tookMs }) => {
      const build = report()
      if (build) onBuilt(build, tookMs)
      publisher.wake()
    },
  })
  const report = (): ReportedBuild | undefined => {
    const { lastBuild, current } = indexer
    if (!lastBuild) return undefined
    const whenOk = embeddings?.dense.hasFailed ? 'degraded' : 'ok'
    return {
      revision: current?.revision ?? null,
      result: lastBuild.isOk ? whenOk : 'failed',
      at: lastBuild.at,
      listings: current?.index.documents.length ?? 0,
      embeddingFailures: failures.within1h(),
      ...times.percentiles(),
    }
  }
  const publisher = publishBuilds({
    db,
    replica,
    clock,
    read: report,
    onError: (error) => onError(error, 'search_build'),
  })
  const work = [indexer.start(), ...(embeddings ? [embeddings.dense.start()] : [])]
  return {
    search: indexSearch({
      indexer,
      words,
      embeddings,
      similarityFloor: options.similarityFloor ?? RANKING.similarityFloor,
      clock,
      onSearched: (method, ms) => {
        times.add(ms)
        onSearched(method, ms)
      },
    }),
    wake: () => indexer.wake(),
    build: report,
    [Symbol.asyncDispose]: async () => {
      const ended = work.map((each) => each[Symbol.asyncDispose]())
      // A build of a large catalog takes seconds: a stop does not wait for it.
      await builder.close()
      await Promise.all(ended)
      await publisher[Symbol.asyncDispose]()
    },
  }
}
