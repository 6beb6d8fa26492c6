import type { Clock } from '../../platform/core/time/clock.ts'
import { startWakeableLoop, type WakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import type { SearchIndex } from '../search/index/search-index.ts'
import type { DocumentEmbeddings } from './document-embeddings.ts'

export interface DenseIndexOptions {
  readonly embeddings: DocumentEmbeddings
  readonly clock: Clock
  /** Called for each failure of the endpoint; it is asked again later. */
  readonly onError: (error: unknown) => void
  /** Called when the state of the vectors has changed. */
  readonly onChanged: () => void
  /** Pause after a failure. @default 15000 */
  readonly retryMs?: number
}

const RETRY_MS = 15_000
/** A new index wakes the work, so this only bounds how long a lost wake would last. */
const POLL_MS = 5_000

/**
 * The index with the vectors of an embeddings endpoint instead of those that ship with the project. The endpoint may be
 * slow or down: a new index serves at once with the vectors that are known, and gets the others when they arrive.
 */
export class DenseIndex {
  readonly #options: DenseIndexOptions
  #loop: WakeableLoop | undefined
  #wanted: SearchIndex | undefined
  #completeFor: SearchIndex | undefined
  #dense: { readonly of: SearchIndex; readonly index: SearchIndex } | undefined
  #hasFailed = false

  constructor(options: DenseIndexOptions) {
    this.#options = options
  }

  /** Whether the endpoint failed when it was last asked for the vectors of documents. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** The index with the vectors of the endpoint; undefined while there are none for it. */
  of(index: SearchIndex): SearchIndex | undefined {
    return this.#dense?.of === index ? this.#dense.index : undefined
  }

  /** A newer index is to get vectors. Resolves when it has those that are known already. */
  async adopt(index: SearchIndex): Promise<void> {
    this.#wanted = index
    await this.#compose(index)
    this.#loop?.wake()
  }

  /** Works until it is disposed of. */
  start(): AsyncDisposable {
    const { clock, onError, onChanged, retryMs = RETRY_MS } = this.#options
    this.#loop = startWakeableLoop({
      run: async (signal) => {
        const index = this.#wanted
        if (!index || index === this.#completeFor) return
        try {
          await this.#options.embeddings.complete(index.documents, signal)
          this.#hasFailed = false
          this.#completeFor = index
        } catch (error) {
          if (signal.aborted) return
          this.#hasFailed = true
          onError(error)
        }
        await this.#compose(index)
        onChanged()
      },
      pauseMs: () => (this.#hasFailed ? retryMs : POLL_MS),
      clock,
      onError,
    })
    return this.#loop
  }

  async #compose(index: SearchIndex): Promise<void> {
    const vectors = await this.#options.embeddings.rows(index.documents)
    if (!vectors || index !== this.#wanted) return
    this.#dense = { of: index, index: { ...index, dense: vectors } }
  }
}
