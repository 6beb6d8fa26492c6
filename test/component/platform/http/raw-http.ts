import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number
  readonly body: string
}

/** Longer than any expected answer takes. */
const NO_ANSWER_AFTER_MS = 150_000

/**
 * Sends exactly these bytes on a connection of their own and reads until the server closes it.
 * `isDone`: half-closes the connection after the bytes.
 */
export async function sendRaw(
  url: string,
  bytes: Buffer | string,
  { isDone = false } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.setTimeout(NO_ANSWER_AFTER_MS, () => socket.destroy(new Error('no answer in time')))
  if (isDone) socket.end(bytes)
  else socket.write(bytes)
  const all = (await buffer(socket)).toString('utf8')
  const text = all.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
  return {
    status: Number(/^HTTP\/1\.1 (?<status>\d{3})/.exec(text)?.groups?.['status'] ?? 0),
    body: text.slice(text.indexOf('\r\n\r\n') + 4),
  }
}

/** A request with exactly these header lines and `Connection: close`. */
export const requestOf = (line: string, headers: readonly string[], body: Buffer | string = '') =>
  Buffer.concat([
    Buffer.from([line, ...headers, 'connection: close', '', ''].join('\r\n'), 'latin1'),
    Buffer.from(body),
  ])
