import { z } from 'zod'
import { jsonOf } from '../../platform/core/errors/read-answer.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'

export interface EmbeddingsOptions {
  /** Base address of an endpoint with the API of OpenAI, `https://api.example.com/v1`. */
  readonly url: string
  readonly model: string
  readonly apiKey?: string | undefined
  readonly clock: Clock
  /** Time limit of one request. @default 10000 */
  readonly timeLimitMs?: number
}

/** Turns texts into vectors of one length, each of norm 1. */
export interface EmbeddingsClient {
  readonly model: string
  /**
   * The vector of each text, in order.
   *
   * @throws `EmbeddingsFailure`
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>
}

/** The endpoint gave no vectors; the message is one sentence without the key. */
export class EmbeddingsFailure extends Error {
  override readonly name = 'EmbeddingsFailure'
  /** HTTP status, when the endpoint refused. */
  readonly status: number | undefined

  constructor(message: string, { status, ...options }: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.status = status
  }
}

const TIME_LIMIT_MS = 10_000
/** Endpoints take fewer texts at a time than OpenAI's 2,048. */
const TEXTS_PER_REQUEST = 64
/** Above this no model has gained anything, and an index of many listings would not fit into memory. */
const MAX_DIMENSIONS = 4_096

/** 64 vectors of 4,096 numbers have 6 MiB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

const answerSchema = z.object({
  data: z.array(
    z.object({
      index: z.int().nonnegative(),
      embedding: z.array(z.number()).min(1).max(MAX_DIMENSIONS),
    }),
  ),
})

/** A client of the endpoint that `SEARCH_EMBEDDINGS_URL` names. */
export function embeddingsClient(options: EmbeddingsOptions): EmbeddingsClient {
  return {
    model: options.model,
    embed: async (texts, signal) => {
      const vectors: Float32Array[] = []
      for (let start = 0; start < texts.length; start += TEXTS_PER_REQUEST) {
        const batch = texts.slice(start, start + TEXTS_PER_REQUEST)
        vectors.push(...(await embedBatch(options, batch, signal)))
      }
      if (new Set(vectors.map(({ length }) => length)).size > 1) {
        throw new EmbeddingsFailure('The embeddings endpoint answered with vectors of two lengths.')
      }
      return vectors
    },
  }
}

async function embedBatch(
  { url, model, apiKey, clock, timeLimitMs = TIME_LIMIT_MS }: EmbeddingsOptions,
  input: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly Float32Array[]> {
  const limit = { clock, ms: timeLimitMs, signal }
  const answer = await withTimeLimit(limit, async (until) => {
    const response = await fetch(`${url.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input, encoding_format: 'float' }),
      redirect: 'error',
      signal: until,
    })
    if (response.ok) return await jsonOf(response, { maxBytes: MAX_ANSWER_BYTES })
    await response.body?.cancel()
    const { status } = response
    throw new EmbeddingsFailure(`The embeddings endpoint answered HTTP ${status}.`, { status })
  }).catch((error: unknown) => {
    signal?.throwIfAborted()
    if (error instanceof EmbeddingsFailure) throw error
    throw new EmbeddingsFailure('The embeddings endpoint gave no answer that could be read.', {
      cause: error,
    })
  })
  return vectorsOf(answer, input.length)
}

/** The endpoint may answer in any order. */
function vectorsOf(answer: unknown, count: number): readonly Float32Array[] {
  const parsed = answerSchema.safeParse(answer)
  const byIndex = new Map(parsed.data?.data.map(({ index, embedding }) => [index, embedding]))
  return Array.from({ length: count }, (_, index) => {
    const embedding = byIndex.get(index)
    if (embedding !== undefined) return unitVector(embedding)
    throw new EmbeddingsFailure(
      'The embeddings endpoint did not answer with a vector for each text.',
    )
  })
}

/** Cosines are then dot products, whatever the model's own norm. */
function unitVector(embedding: readonly number[]): Float32Array {
  const norm = Math.hypot(...embedding)
  if (norm > 0) return Float32Array.from(embedding, (value) => value / norm)
  throw new EmbeddingsFailure('The embeddings endpoint answered with a vector of zeros.')
}
