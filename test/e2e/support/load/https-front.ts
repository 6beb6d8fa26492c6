/** An https server on this machine in front of an RPC that serves http: the stock client wants https. */
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCertificate } from '../../../../src/localnet/server/certificate.ts'

export interface HttpsFront {
  readonly url: string
  /** PEM of the authority of its certificate. */
  readonly authority: string
}

const VALID_DAYS = 2

export async function httpsFront(httpUrl: string): Promise<HttpsFront> {
  const { key, cert, authority } = await createCertificate(Date.now(), VALID_DAYS)
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const { method, headers } = incoming
    const onward = request(httpUrl, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority,
  }
}
