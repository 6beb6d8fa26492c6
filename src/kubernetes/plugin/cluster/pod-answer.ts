import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import { textOf } from '../../../platform/core/errors/read-answer.ts'
import { ByteBuffer } from '../../../platform/core/language/byte-buffer.ts'
import { messageOf } from '../../../platform/core/text/error-message.ts'
import { type ForwardedPort, PortForwardFailed } from '../../runtime/client/port-forward.ts'

/* What a pod answers. A tenant chooses what runs in it, so no answer decides how much memory it takes. */

export const USER_AGENT = 'kubectl-svc'

export interface PodRequest extends ForwardedPort {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** For the whole exchange, in milliseconds. @default that of the cluster */
  readonly timeoutMs?: number
  /** Ends it. @default that of the cluster */
  readonly signal?: AbortSignal
}

export interface PodAnswer {
  readonly status: number
  readonly body: string
}

/** Holds twice as much at most: the API server passes on what a pod wrote. */
export async function endOf(
  answer: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<string> {
  const end = new ByteBuffer()
  for await (const part of answer) {
    end.append(part.subarray(-limitBytes))
    if (end.length > 2 * limitBytes) end.drop(end.length - limitBytes)
  }
  return new TextDecoder().decode(end.bytes.subarray(-limitBytes))
}

/** One request over a connection to a port of the pod, which it closes. Throws PortForwardFailed. */
export async function exchange(
  connection: Duplex,
  { method = 'GET', path, headers = {}, body }: PodRequest,
  signal: AbortSignal,
): Promise<PodAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PodAnswer>()
  const sent = request(
    {
      method,
      path,
      host: 'localhost',
      signal,
      createConnection: () => connection,
      headers: {
        accept: '*/*',
        'user-agent': USER_AGENT,
        connection: 'close',
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
    },
    (answer) => {
      textOf({ body: answer }).then(
        (text) => resolve({ status: answer.statusCode ?? 0, body: text }),
        reject,
      )
    },
  )
  sent.once('error', reject)
  sent.end(body)
  try {
    return await promise
  } catch (error) {
    signal.throwIfAborted()
    // The node's own sentence, rather than that the connection broke.
    if (connection.errored instanceof PortForwardFailed) throw connection.errored
    throw new PortForwardFailed(messageOf(error), undefined, error)
  } finally {
    connection.destroy()
  }
}
