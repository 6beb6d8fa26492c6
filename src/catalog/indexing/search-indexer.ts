import type { Clock } from '../../platform/core/time/clock.ts'
import { untilAborted } from '../../platform/core/time/until-aborted.ts'
import { startWakeableLoop, type WakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import type { CatalogItems } from '../items/catalog-items.ts'
import type { SearchIndex } from '../search/index/search-index.ts'
import type { IndexBuilder } from '../search/worker/index-builder.ts'

/** The index that serves. */
export interface CurrentIndex {
  readonly index: SearchIndex
  /** The revision of the catalog that the index holds. */
  readonly revision: number
}

export interface LastBuild {
  readonly isOk: boolean
  /** When it ended, by the clock of this process. */
  readonly at: number
  /** Duration of reading the catalog and building. */
  readonly tookMs: number
}

export interface SearchIndexerOptions {
  readonly items: CatalogItems
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
  #loop: WakeableLoop | undefined
  #current: CurrentIndex | undefined
  #lastBuild: LastBuild | undefined

  constructor(options: SearchIndexerOptions) {
    this.#options = options
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
    const { items, builder, prepare } = this.#options
    await untilAborted(signal, items.refreshAssets())
    await untilAborted(signal, items.refresh())
    const { all, revision } = items
    if (this.#current?.index.documents === all && this.#lastBuild?.isOk) {
      this.#current = { ...this.#current, revision }
      return false
    }
    const index = await builder.build(all)
    await prepare?.(index)
    this.#current = { index, revision }
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
