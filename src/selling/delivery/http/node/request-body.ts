import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'

/**
 * Reads the body and puts it back, so that the handler reads it as if for the first time. Undefined for one of more than
 * `maxBytes`, of which the rest is not read.
 *
 * @throws Error when something has read the body before, or the caller leaves before it ends
 */
export async function peekBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const { headers } = request
  const length = Number(headers['content-length'] ?? 0)
  if (length === 0 && headers['transfer-encoding'] === undefined) return new Uint8Array()
  if (length > maxBytes) return undefined
  if (request.readableDidRead) {
    throw new Error('Something has read the body of a paid request: deliver once before that.')
  }

  const chunks: Buffer[] = []
  let size = 0
  const isWhole = () => request.complete || (length > 0 && size >= length)
  const left = new AbortController()
  const leave = () => left.abort(new Error('The caller left before the end of the body.'))
  request.once('close', leave)
  try {
    for (;;) {
      await once(request, 'readable', { signal: left.signal })
      // Reading past the last byte would end the stream, and an ended one takes nothing back.
      while (request.readableLength > 0 && size <= maxBytes) {
        const chunk: Buffer = request.read()
        chunks.push(chunk)
        size += chunk.length
      }
      if (size > maxBytes) return undefined
      if (isWhole()) break
    }
  } finally {
    request.off('close', leave)
  }
  const body = Buffer.concat(chunks)
  if (size > 0) request.unshift(body)
  return body
}
