import { z } from 'zod'
import { jsonOf } from '../../../platform/core/errors/read-answer.ts'
import { BatchRefusal, HttpRefusal, refusalCodes } from './transport-errors.ts'

const responseSchema = z.object({
  id: z.unknown(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
})
export type JsonRpcResponse = z.output<typeof responseSchema>

/**
 * A page of 200 transactions is the largest answer. What Soroban transactions of one ledger of pubnet may write and emit makes 30 MiB of
 * it; a page of transactions as they are has 1 to 4 MiB.
 */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** Answers have 90 bytes and more for each value, most of them far more. */
const BYTES_PER_VALUE = 64

export interface PostOptions {
  /** Size limit of the answer, decompressed. @default `MAX_ANSWER_BYTES` */
  readonly maxBytes?: number | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Further headers, such as those that authenticate the caller. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A JSON-RPC request, encoded once: its size is needed before it is sent, and its id only then. */
export interface EncodedRequest {
  readonly method: string
  /** The JSON of `method` and `params`, without the opening brace. */
  readonly json: string
  readonly bytes: number
}

export function encodeRequest(
  method: string,
  params: Readonly<Record<string, unknown>> | undefined,
): EncodedRequest {
  const json = JSON.stringify({ method, params }).slice(1)
  return { method, json, bytes: Buffer.byteLength(json) }
}

/**
 * Posts one request as such and several as a JSON-RPC 2.0 batch. Returns the responses by the id of
 * their request, its position from 1; one that the answer leaves out is absent. Throws `HttpRefusal` for any status but 2xx,
 * `BatchRefusal` for one error in answer to a batch, `AnswerTooLarge`, and what `fetch`, `JSON.parse` and zod throw.
 */
export async function postJsonRpc(
  url: URL,
  requests: readonly EncodedRequest[],
  signal: AbortSignal,
  { maxBytes = MAX_ANSWER_BYTES, fetch = globalThis.fetch, headers }: PostOptions = {},
): Promise<ReadonlyMap<unknown, JsonRpcResponse>> {
  const encoded = requests.map(({ json }, index) => `{"jsonrpc":"2.0","id":${index + 1},${json}`)
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: requests.length === 1 ? encoded.join() : `[${encoded.join()}]`,
    signal,
    redirect: 'error',
  })
  if (!answer.ok) {
    await answer.body?.cancel()
    throw new HttpRefusal(answer)
  }
  const parsed = await jsonOf(answer, { maxBytes, maxValues: maxBytes / BYTES_PER_VALUE })
  // The id of a single response does not matter.
  if (requests.length === 1) return new Map([[1, responseSchema.parse(parsed)]])
  const single = responseSchema.safeParse(parsed)
  if (refusalCodes.has(single.data?.error?.code ?? 0)) throw new BatchRefusal('no batches')
  const responses = z.array(responseSchema).parse(parsed)
  return new Map(responses.map((response) => [response.id, response]))
}
