import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'

/** Where to connect, and which certificate authority to trust. */
export interface ConnectionAddress {
  readonly url: string
  /** PEM of the certificate authority that has signed the server's certificate. */
  readonly ca?: string | undefined
}

/** Members of a URL that `pg` makes TLS settings of, which would replace those given beside the URL. */
const TLS_PARAMETERS = [
  'ssl',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'uselibpqcompat',
]

/**
 * Connection options for `pg`. With a certificate authority, every connection uses TLS and verifies the certificate by it,
 * the host name too, unless the URL has `sslmode=verify-ca`. Without one, the URL alone decides. Throws when the URL
 * names a file that cannot be read.
 */
export function connectionOf({ url, ca }: ConnectionAddress): ClientConfig {
  if (ca === undefined) return { connectionString: url }
  const parsed = new URL(url)
  const read = (parameter: string) => {
    const file = parsed.searchParams.get(parameter)
    return file === null ? undefined : readFileSync(file, 'utf8')
  }
  const [cert, key] = [read('sslcert'), read('sslkey')]
  const isDirect = parsed.searchParams.get('sslnegotiation') === 'direct'
  const isHostChecked = parsed.searchParams.get('sslmode') !== 'verify-ca'
  for (const parameter of TLS_PARAMETERS) parsed.searchParams.delete(parameter)
  return {
    connectionString: parsed.href,
    ...(isDirect && { sslnegotiation: 'direct' }),
    ssl: {
      ca,
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(!isHostChecked && { checkServerIdentity: () => undefined }),
    },
  }
}
