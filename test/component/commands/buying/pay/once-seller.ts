/** A seller who has its payments settled by a real facilitator, and whose answers can be lost. */
import { EventEmitter, once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  PAYMENT_IDENTIFIER,
  paymentIdentifierOf,
} from '../../../../../src/payments/protocol/payment-identifier.ts'
import type { Stack } from '../../../../support/stack.ts'
import { offer } from '../paid-server.ts'

/**
 * `loses`: it breaks the connection in place of the answer. `keeps`: the same, and it settles nothing. `waits`: it answers when it is told to.
 * `breaks`: it breaks the connection within the body. `fails`: it names no price. `busy`: it settles nothing, and asks to be called again. `pending`: it
 * does not know yet whether the payment was settled. `serving`: a tool whose first call is still being served.
 */
export type Manner =
  | 'answers'
  | 'loses'
  | 'keeps'
  | 'waits'
  | 'breaks'
  | 'conflicts'
  | 'refuses'
  | 'busy'
  | 'pending'
  | 'serving'
  | 'fails'

export interface OnceSeller extends AsyncDisposable {
  readonly url: string
  /** The payments that it got, as the header has them. */
  readonly payments: readonly string[]
  /** How many it had settled. */
  readonly settled: number
  manner: Manner
  /** Base units. */
  price: string
  /** Answers those that wait. */
  answerLate(): void
}

interface Terms {
  readonly payTo: string
  /** Whether it knows the extension. @default true */
  readonly knowsIds?: boolean
  readonly maxTimeoutSeconds?: number
}

/** What a facilitator answers before the ledger has the payment. */
const pending = { success: false, errorReason: 'settlement_pending', transaction: '' }

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

export async function onceSeller(
  stack: Stack,
  { payTo, knowsIds = true, maxTimeoutSeconds = 60 }: Terms,
): Promise<OnceSeller> {
  const extensions = { [PAYMENT_IDENTIFIER]: { info: { required: true }, schema: {} } }
  const required = (amount: string) => ({
    ...offer(payTo, { maxTimeoutSeconds, amount }),
    ...(knowsIds && { extensions }),
  })
  /** The answer to each id, and the payment that it is for. */
  const known = new Map<string, { readonly header: string; readonly answer: Promise<string> }>()
  const payments: string[] = []
  const own = { manner: 'answers' as Manner, settled: 0, price: '100000' }
  const late = new EventEmitter()

  const settle = async (header: string): Promise<string> => {
    const paymentPayload = JSON.parse(Buffer.from(header, 'base64').toString())
    const paymentRequirements = paymentPayload.accepted
    const asked = { x402Version: 2, paymentPayload, paymentRequirements }
    const { body } = await stack.post('/settle', asked)
    if (body.success) own.settled += 1
    return encoded(body)
  }

  const answerTo = (header: string): Promise<string> | undefined => {
    const { extensions } = JSON.parse(Buffer.from(header, 'base64').toString())
    const read = paymentIdentifierOf(extensions)
    if (read.kind !== 'given') return settle(header)
    const before = known.get(read.id)
    if (before) return before.header === header ? before.answer : undefined
    const answer = settle(header)
    known.set(read.id, { header, answer })
    return answer
  }

  const serve = async (header: string, response: ServerResponse): Promise<void> => {
    payments.push(header)
    const { manner } = own
    if (manner === 'keeps') return void response.destroy()
    if (manner === 'conflicts') return void response.writeHead(409).end('another payment')
    if (manner === 'busy') return void response.writeHead(503).end('later')
    if (manner === 'pending') {
      return void response.writeHead(402, { 'payment-response': encoded(pending) }).end('{}')
    }
    if (manner === 'serving') {
      const price = { ...required(own.price), error: 'payment_in_progress' }
      return void response.writeHead(402, { 'payment-required': encoded(price) }).end('{}')
    }
    if (manner === 'refuses') return void response.writeHead(402).end('it has expired')
    const answer = await answerTo(header)
    if (manner === 'waits') await once(late, 'answer')
    if (manner === 'loses') return void response.destroy()
    if (answer === undefined) return void response.writeHead(409).end('another payment')
    const { success } = JSON.parse(Buffer.from(answer, 'base64').toString())
    response.writeHead(success ? 200 : 402, { 'payment-response': answer, 'content-length': 5 })
    if (manner === 'breaks') return void response.write('su', () => response.destroy())
    response.end('sunny')
  }

  const server = createServer((request, response) => {
    const header = request.headers['payment-signature']
    if (typeof header === 'string') return void serve(header, response)
    if (own.manner === 'fails') return void response.writeHead(503).end()
    response.writeHead(402, { 'payment-required': encoded(required(own.price)) }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/weather`,
    payments,
    get settled() {
      return own.settled
    },
    get manner() {
      return own.manner
    },
    set manner(manner) {
      own.manner = manner
    },
    get price() {
      return own.price
    },
    set price(price) {
      own.price = price
    },
    answerLate: () => void late.emit('answer'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
