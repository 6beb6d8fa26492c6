/** Sellers who hold a signed payment: what they say became of it, and how they take it all the same. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type RenegotiatingServer,
  renegotiatingServer,
} from '../../../support/renegotiating-server.ts'
import { settled } from '../../commands/buying/paid-server.ts'

export const lies = [
  'says that it was paid',
  'answers an error',
  'asks for another payment',
  'redirects',
  'cuts the connection',
  'hangs',
  'renegotiates TLS with another certificate',
] as const
type Lie = (typeof lies)[number]

export interface Deal<Scheme extends string = string, Take extends string = string> {
  readonly scheme: Scheme
  readonly lie: Lie
  readonly take: Take
  /** Before it answers; otherwise after all calls. */
  readonly takesFirst: boolean
}

interface SellersOptions {
  /** The 402 of a call of this number without a payment. */
  readonly priceOf: (call: number) => object
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
  const { priceOf, dealOf, onPayment } = options
  const hanging = new Set<ServerResponse>()
  let isReleased = false
  const cut = (response: ServerResponse) => void response.socket?.destroy()
  type Behave = (response: ServerResponse, call: number) => unknown
  const ask: Behave = (response, call) =>
    response.writeHead(402, { 'payment-required': encoded(priceOf(call)) }).end()
  const behave: Record<Exclude<Lie, (typeof lies)[6]>, Behave> = {
    'says that it was paid': (response) =>
      response.writeHead(200, { 'payment-response': encoded(settled) }).end('sunny'),
    'answers an error': (response) => response.writeHead(500).end(),
    'asks for another payment': ask,
    redirects: (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
    'cuts the connection': cut,
    hangs: (response) => (isReleased ? cut(response) : hanging.add(response)),
  }
  const server = createServer(async (request: IncomingMessage, response) => {
    const call = Number(request.url?.slice(1))
    const payment = request.headers['payment-signature']
    if (typeof payment !== 'string') {
      ask(response, call)
      return
    }
    await onPayment(call, payment)
    const { lie } = dealOf(call)
    if (lie !== 'renegotiates TLS with another certificate') behave[lie](response, call)
  })
  const renegotiating = await renegotiator(options)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (call) =>
      dealOf(call).lie === 'renegotiates TLS with another certificate'
        ? `${renegotiating.url}/${call}`
        : `http://127.0.0.1:${port}/${call}`,
    release: () => {
      isReleased = true
      for (const response of hanging) cut(response)
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await renegotiating[Symbol.asyncDispose]()
    },
  }
}

/** Shows another certificate once it has a payment. */
const renegotiator = ({ priceOf, onPayment }: SellersOptions): Promise<RenegotiatingServer> =>
  renegotiatingServer(async (request) => {
    const [, call] = /^GET \/(\d+) /.exec(request) ?? []
    const [, payment] = /\r\npayment-signature: (\S+)/i.exec(request) ?? []
    if (payment !== undefined) {
      await onPayment(Number(call), payment)
      return undefined
    }
    const required = `payment-required: ${encoded(priceOf(Number(call)))}`
    return `HTTP/1.1 402 Pay\r\n${required}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`
  })
