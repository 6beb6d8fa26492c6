import type { FastifyInstance } from 'fastify'

export interface Address {
  readonly host: string
  /** The port really bound. */
  readonly port: number
  /** Where a client on this machine finds it, without a trailing slash. */
  readonly url: string
}

/** The port is taken or forbidden; the message says so in one sentence. */
export class PortUnavailable extends Error {
  override readonly name = 'PortUnavailable'
}

const sentences: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another program',
  EACCES: 'may not be opened by this user',
  EADDRNOTAVAIL: 'is not on an address of this machine',
}

/** Every IPv4 and IPv6 address of the machine. */
const ANY_ADDRESS = '::'
/** Error codes of a kernel without IPv6. */
const noIpv6 = ['EAFNOSUPPORT', 'EADDRNOTAVAIL']

/** Listens on the host; on `0.0.0.0` instead of `::` when the kernel has no IPv6. */
async function openPort(
  app: Pick<FastifyInstance, 'listen'>,
  host: string,
  port: number,
): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (host !== ANY_ADDRESS || !noIpv6.includes(code)) throw error
    await app.listen({ host: '0.0.0.0', port })
  }
}

export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<Address> {
  try {
    await openPort(app, host, port)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const sentence = sentences[code]
    if (sentence === undefined) throw error
    throw new PortUnavailable(`port ${port} on ${host} ${sentence}`, { cause: error })
  }
  const bound = app.server.address()
  const actual = typeof bound === 'object' && bound !== null ? bound.port : port
  return { host, port: actual, url: `http://${reachable(host)}:${actual}` }
}

/** An address to write into a URL: the wildcard addresses mean "here", IPv6 takes brackets. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
