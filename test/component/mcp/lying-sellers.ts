/** Sellers who hold a signed payment: what they say became of it, and how they take it all the same. */
import { constants } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { createCertificate } from '../../../src/localnet/certificate.ts'
import { settled } from '../cli/paid-server.ts'

export const lies = [
  'says that it was paid',
  'answers an error',
  'asks for another payment',
  'redirects',
  'cuts the connection',
  'hangs',
  'renegotiates TLS with another certificate',
] as const
export type Lie = (typeof lies)[number]

export interface Deal<Take extends string = string> {
  readonly lie: Lie
  readonly take: Take
  /** Before it answers; otherwise after all calls. */
  readonly takesFirst: boolean
}

interface SellersOptions {
  /** The 402 of every call without a payment. */
  readonly price: object
  /** Of the call with this number. */
  readonly dealOf: (call: number) => Deal
  /** A signed payment arrived; resolves when it was taken, if it is taken first. */
  readonly onPayment: (call: number, header: string) => Promise<void>
}

export interface Sellers extends AsyncDisposable {
  urlOf(call: number): string
  /** Those that hang cut the connection. */
  release(): void
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64')

export async function openSellers(options: SellersOptions): Promise<Sellers> {
  const { price, dealOf, onPayment } = options
  const hanging = new Set<ServerResponse>()
  let isReleased = false
  const cut = (response: ServerResponse) => void response.socket?.destroy()
  const behave: Record<Exclude<Lie, (typeof lies)[6]>, (response: ServerResponse) => unknown> = {
    'says that it was paid': (response) =>
      response.writeHead(200, { 'payment-response': encoded(settled) }).end('sunny'),
    'answers an error': (response) => response.writeHead(500).end(),
    'asks for another payment': (response) =>
      response.writeHead(402, { 'payment-required': encoded(price) }).end(),
    redirects: (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
    'cuts the connection': cut,
    hangs: (response) => (isReleased ? cut(response) : hanging.add(response)),
  }
  const server = createServer(async (request: IncomingMessage, response) => {
    const call = Number(request.url?.slice(1))
    const payment = request.headers['payment-signature']
    if (typeof payment !== 'string') {
      response.writeHead(402, { 'payment-required': encoded(price) }).end()
      return
    }
    await onPayment(call, payment)
    const { lie } = dealOf(call)
    if (lie !== 'renegotiates TLS with another certificate') behave[lie](response)
  })
  const renegotiating = await renegotiator(options)
  for (const each of [server, renegotiating]) {
    each.listen(0, 'localhost')
    await once(each, 'listening')
  }
  const portOf = (each: Server | tls.Server) => (each.address() as AddressInfo).port
  return {
    urlOf: (call) =>
      dealOf(call).lie === 'renegotiates TLS with another certificate'
        ? `https://localhost:${portOf(renegotiating)}/${call}`
        : `http://localhost:${portOf(server)}/${call}`,
    release: () => {
      isReleased = true
      for (const response of hanging) cut(response)
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      renegotiating.close()
    },
  }
}

const DAYS = 2
let trusted: Awaited<ReturnType<typeof createCertificate>> | undefined

/** Speaks TLS 1.2 with a valid certificate, and shows another one once it has a payment. */
async function renegotiator({ price, onPayment }: SellersOptions): Promise<tls.Server> {
  if (!trusted) {
    trusted = await createCertificate(Date.now(), DAYS)
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), trusted.authority])
  }
  const { key, cert } = trusted
  const other = await createCertificate(Date.now(), DAYS)
  const { SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION: secureOptions } = constants
  return tls.createServer({ key, cert, maxVersion: 'TLSv1.2', secureOptions }, (socket) => {
    let read = ''
    socket.on('error', () => socket.destroy())
    socket.on('data', async (part) => {
      read += part.toString('latin1')
      if (!read.includes('\r\n\r\n')) return
      const [, call] = /^GET \/(\d+) /.exec(read) ?? []
      const [, payment] = /\r\npayment-signature: (\S+)/i.exec(read) ?? []
      read = ''
      if (payment === undefined) {
        const lines = [
          'HTTP/1.1 402 Pay',
          `payment-required: ${encoded(price)}`,
          'content-length: 0',
        ]
        socket.end(`${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n`)
        return
      }
      await onPayment(Number(call), payment)
      socket.setKeyCert(tls.createSecureContext({ key: other.key, cert: other.cert }))
      socket.renegotiate({}, () => undefined)
    })
  })
}
