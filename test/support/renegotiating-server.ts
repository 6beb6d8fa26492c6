/** A server of https that shows another certificate on a connection that has already carried a request. */
import { constants } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { type Certificate, createCertificate } from '../../src/localnet/server/certificate.ts'

export interface RenegotiatingServer extends AsyncDisposable {
  /** With a certificate that this process trusts. */
  readonly url: string
  /** Codes of what ended its connections. */
  readonly errors: readonly string[]
}

const DAYS = 2
let trusted: Promise<Certificate> | undefined

async function trustedCertificate(): Promise<Certificate> {
  trusted ??= createCertificate(Date.now(), DAYS)
  const { authority } = await trusted
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), authority])
  return trusted
}

/** @param answer to the lines of a request: bytes, or `undefined` to renegotiate with a certificate that nobody trusts */
export async function renegotiatingServer(
  answer: (request: string) => Promise<string | undefined>,
): Promise<RenegotiatingServer> {
  const { key, cert } = await trustedCertificate()
  const other = await createCertificate(Date.now(), DAYS)
  const errors: string[] = []
  const { SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION: secureOptions } = constants
  const options = { key, cert, maxVersion: 'TLSv1.2', secureOptions } as const
  const server = tls.createServer(options, (socket) => {
    let read = ''
    socket.on('error', (error: NodeJS.ErrnoException) => {
      errors.push(String(error.code))
      socket.destroy()
    })
    socket.on('data', async (part) => {
      read += part.toString('latin1')
      if (!read.includes('\r\n\r\n')) return
      const request = read
      read = ''
      const bytes = await answer(request)
      if (bytes !== undefined) return void socket.end(bytes)
      socket.setKeyCert(tls.createSecureContext({ key: other.key, cert: other.cert }))
      socket.renegotiate({}, () => undefined)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    errors,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}
