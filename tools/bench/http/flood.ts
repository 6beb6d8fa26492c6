import { connect } from 'node:net'
import { monotonicMs } from '../monotonic.ts'

export interface Flood {
  /** URL of the service. */
  readonly url: string
  /** The same bytes every time. */
  readonly request: Buffer
  readonly connections: number
  readonly requests: number
}

export interface FloodResult {
  readonly perSecond: number
  /** How often each HTTP status was answered. */
  readonly statuses: ReadonlyMap<number, number>
}

/** The bytes of a request on a connection that stays open. */
export function requestBytes(method: 'GET' | 'POST', path: string, body = ''): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, 'host: bench', 'accept: */*', 'user-agent: bench']
  const bodyHeaders = [
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from([...head, ...(method === 'POST' ? bodyHeaders : []), '', body].join('\r\n'))
}

/**
 * Sends one request after the other on each connection. Reads only the
 * length of answers, so that the sender uses little processor time.
 */
export async function flood(load: Flood): Promise<FloodResult> {
  const statuses = new Map<number, number>()
  let left = load.requests
  const next = () => left-- > 0
  const count = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const startedAt = monotonicMs()
  await Promise.all(
    Array.from({ length: load.connections }, () => sendRepeatedly(load, { next, count })),
  )
  const answered = [...statuses.values()].reduce((sum, count) => sum + count, 0)
  if (answered !== load.requests) throw new Error(`only ${answered} requests were answered`)
  return { perSecond: (load.requests * 1_000) / (monotonicMs() - startedAt), statuses }
}

interface Counters {
  /** Whether to send another request. */
  readonly next: () => boolean
  readonly count: (status: number) => void
}

function sendRepeatedly({ url, request }: Flood, { next, count }: Counters): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let unread = ''
  return new Promise<void>((resolve, reject) => {
    const send = () => (next() ? socket.write(request) : socket.end())
    socket.setEncoding('latin1')
    socket.on('connect', send)
    socket.on('data', (chunk: string) => {
      unread += chunk
      const end = endOfAnswer(unread)
      if (end === undefined || unread.length < end) return
      count(Number(unread.slice(9, 12)))
      unread = unread.slice(end)
      send()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}

/** Length of the first answer; undefined until its headers are complete. */
function endOfAnswer(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const length = /\r\ncontent-length: (?<bytes>\d+)/i.exec(text.slice(0, head))?.groups?.['bytes']
  return head + 4 + Number(length ?? 0)
}
