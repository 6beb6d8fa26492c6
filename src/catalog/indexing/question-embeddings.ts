import type { Clock } from '../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import type { Embedder } from './document-embeddings.ts'
import { EmbeddingsFailure } from './embeddings-client.ts'

/** A person waits for the answer; without the vector, the shipped word vectors answer. */
const TIME_LIMIT_MS = 1_000
/** After a failure the endpoint is not asked for this long, so that searches do not wait for it one after the other. */
const PAUSE_MS = 5_000
/** Pages of one search ask for the same vector. */
const MAX_KEPT = 500

export interface QuestionEmbeddingsOptions {
  readonly embedder: Embedder
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

/** The vectors of questions, from the embeddings endpoint. */
export class QuestionEmbeddings {
  readonly #options: QuestionEmbeddingsOptions
  readonly #kept = new Map<string, Float32Array>()
  #pausedUntil = 0

  constructor(options: QuestionEmbeddingsOptions) {
    this.#options = options
  }

  /** Undefined when the endpoint has not answered in time. Never rejects. */
  async of(question: string): Promise<Float32Array | undefined> {
    const kept = this.#kept.get(question)
    if (kept) return kept
    const { embedder, clock, onError } = this.#options
    if (clock.now() < this.#pausedUntil) return undefined
    try {
      const limit = { clock, ms: TIME_LIMIT_MS }
      const [vector] = await withTimeLimit(limit, (signal) => embedder.embed([question], signal))
      if (vector) this.#keep(question, vector)
      return vector
    } catch (error) {
      // A caller whose question the endpoint refuses must not take it away from the others.
      if (!isRefused(error)) this.#pausedUntil = clock.now() + PAUSE_MS
      onError(error)
      return undefined
    }
  }

  #keep(question: string, vector: Float32Array): void {
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(question, vector)
  }
}

/** Whether the endpoint found fault with the text: it is too long for the model, for instance. */
const isRefused = (error: unknown): boolean =>
  error instanceof EmbeddingsFailure && [400, 413, 422].includes(error.status ?? 0)
