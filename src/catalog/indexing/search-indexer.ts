import type { Clock } from '../../platform/core/time/clock.ts'
import { startWakeableLoop, type WakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { SearchIndex } from '../search/index/search-index.ts'
import type { IndexBuilder } from '../search/worker/index-builder.ts'
import {
  type ChangesFrom,
  firstChange,
  listAssetFacts,
  readCatalogState,
} from '../store/discovery/index-source.ts'
import { IndexedItems } from './indexed-items.ts'
import { loadChanges } from './load-changes.ts'

/** The index that serves. */
export interface CurrentIndex {
  readonly index: SearchIndex
  /** Of the catalog, that it holds. */
  readonly revision: number
}

export interface LastBuild {
  readonly isOk: boolean
  /** When it ended, by the clock of this process. */
  readonly at: number
  /** Of reading the catalog and building. */
  readonly tookMs: number
}

export interface SearchIndexerOptions {
  readonly db: Db
  readonly clock: Clock
  readonly builder: Pick<IndexBuilder, 'build'>
  /** Called before a new index serves, which it does when this resolves. */
  readonly prepare?: ((index: SearchIndex) => Promise<void>) | undefined
  /** Called for each failure to read the catalog or to build; both are tried again. */
  readonly onError: (error: unknown) => void
  /** Called after each build, also a failed one. */
  readonly onBuilt: (build: LastBuild) => void
  /** How often the store is asked for changes that nothing has announced. @default 500 */
  readonly pollMs?: number
}

const POLL_MS = 500
/** Between two builds the worker pauses a quarter of the time that a build takes, so that changes cannot occupy a core. */
const PAUSE_SHARE = 0.25

/** Keeps an index of the published listings in memory, and replaces it by a newer one when they change. */
export class SearchIndexer {
  readonly #options: SearchIndexerOptions
  readonly #items: IndexedItems
  #loop: WakeableLoop | undefined
  #from: ChangesFrom = firstChange
  /** When the facts in `items` were read from the ledger; undefined before the first time. */
  #factsAt: number | null | undefined
  /** Whether `items` has changes that no index holds. */
  #isDirty = true
  #current: CurrentIndex | undefined
  #lastBuild: LastBuild | undefined

  constructor(options: SearchIndexerOptions) {
    this.#options = options
    this.#items = new IndexedItems((id, error) =>
      options.onError(new Error(`listing ${id} cannot be indexed`, { cause: error })),
    )
  }

  /** Undefined until the first build is done. */
  get current(): CurrentIndex | undefined {
    return this.#current
  }

  /** Undefined until the first build has ended. */
  get lastBuild(): LastBuild | undefined {
    return this.#lastBuild
  }

  /** A listing has changed: it is read without waiting for the next poll. */
  wake(): void {
    this.#loop?.wake()
  }

  /** Works until it is disposed of. */
  start(): AsyncDisposable {
    const { clock, onError, pollMs = POLL_MS } = this.#options
    this.#loop = startWakeableLoop({
      run: async (signal) => {
        const tookMs = await this.#refresh(signal)
        if (tookMs > 0) await clock.sleep(tookMs * PAUSE_SHARE, signal)
      },
      pauseMs: pollMs,
      clock,
      onError,
    })
    return this.#loop
  }

  /** @returns how long the build took, 0 when nothing had changed */
  async #refresh(signal: AbortSignal): Promise<number> {
    const startedAt = this.#options.clock.now()
    try {
      const hasBuilt = await this.#readAndBuild(signal)
      return hasBuilt ? this.#ended(true, startedAt) : 0
    } catch (error) {
      // A stop ends the worker's thread, which is no failure of the build.
      if (!signal.aborted) this.#ended(false, startedAt)
      throw error
    }
  }

  async #readAndBuild(signal: AbortSignal): Promise<boolean> {
    const { db, builder, prepare } = this.#options
    const { revision, factsAt } = await readCatalogState(db)
    const isCurrent = revision <= (this.#current?.revision ?? -1) && factsAt === this.#factsAt
    if (isCurrent && !this.#isDirty && this.#lastBuild?.isOk) return false
    const { end, hasChanged } = await loadChanges(db, this.#items, this.#from, signal)
    this.#from = end
    this.#isDirty ||= hasChanged
    if (factsAt !== this.#factsAt) {
      const isNews = this.#items.useFacts(await listAssetFacts(db))
      this.#isDirty ||= isNews
      this.#factsAt = factsAt
    }
    const reached = Math.max(revision, end.revision)
    if (!this.#isDirty && this.#current && this.#lastBuild?.isOk) {
      this.#current = { ...this.#current, revision: reached }
      return false
    }
    const index = await builder.build(this.#items.documents())
    await prepare?.(index)
    this.#isDirty = false
    this.#current = { index, revision: reached }
    return true
  }

  #ended(isOk: boolean, startedAt: number): number {
    const { clock, onBuilt } = this.#options
    const at = clock.now()
    this.#lastBuild = { isOk, at, tookMs: at - startedAt }
    onBuilt(this.#lastBuild)
    return this.#lastBuild.tookMs
  }
}
