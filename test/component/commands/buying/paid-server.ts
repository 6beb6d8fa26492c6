/** A paid API whose answers a test writes itself; it settles nothing. */

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Keypair } from '@stellar/stellar-sdk'
import { uptoContract } from '../../../../src/localnet/genesis/upto-contract.ts'
import { passphrases, usdcContracts } from '../../../../src/platform/core/caip2.ts'

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

export interface PaidServer extends AsyncDisposable {
  readonly url: string
  /** How many calls there were, paid or not. */
  readonly calls: () => number
  /** Calls that carried a signed payment. */
  readonly paid: readonly {
    readonly method: string
    readonly body: string
    readonly headers: object
  }[]
}

const header = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** Price of 0.01 USDC on the embedded network, or with `changes` another. */
export const offer = (payTo: string, changes: object = {}) => ({
  x402Version: 2,
  resource: { url: 'http://seller.example/', description: '', mimeType: 'text/plain' },
  accepts: [
    {
      scheme: 'exact',
      network: 'stellar:testnet',
      asset: usdcContracts['stellar:testnet'],
      amount: '100000',
      payTo,
      maxTimeoutSeconds: 60,
      extra: { areFeesSponsored: true },
      ...changes,
    },
  ],
})

/** A metered price with a ceiling of 0.5 USDC. */
export const meteredOffer = (payTo: string, changes: object = {}, extra: object = {}) =>
  offer(payTo, {
    scheme: 'upto',
    amount: '5000000',
    extra: {
      areFeesSponsored: true,
      profile: 'authority-v1',
      uptoContract: uptoContract(passphrases['stellar:testnet']),
      authority: Keypair.random().publicKey(),
      ...extra,
    },
    ...changes,
  })

export const asksFor =
  (required: object): Answer =>
  (_, response) => {
    response.writeHead(402, { 'payment-required': header(required) }).end()
  }

export const answers =
  (status: number, settlement?: object, text = 'sunny'): Answer =>
  (_, response) => {
    const headers = settlement ? { 'payment-response': header(settlement) } : {}
    response.writeHead(status, headers).end(text)
  }

export const settled = {
  success: true,
  transaction: 'a'.repeat(64),
  network: 'stellar:testnet',
  payer: 'G',
}

/** @param first answers a call without a payment, `then` one with it */
export async function paidServer(first: Answer, then: Answer): Promise<PaidServer> {
  const paid: { method: string; body: string; headers: object }[] = []
  let calls = 0
  const server = createServer(async (request, response) => {
    calls++
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    if (request.headers['payment-signature'] === undefined) return first(request, response, body)
    paid.push({ method: request.method ?? '', body, headers: request.headers })
    then(request, response, body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/weather`,
    calls: () => calls,
    paid,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
