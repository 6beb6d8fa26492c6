import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'

const DAY_MS = 86_400_000

/** The names and addresses of this machine, as its own processes reach it. */
const thisMachine: readonly string[] = ['localhost', '127.0.0.1', '::1']

/** A certificate and its key, and the certificate of the authority that signed it; all PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
  readonly authority: string
}

/**
 * Creates a certificate authority, and with it a certificate for the given names and addresses. The authority's
 * key is discarded, so that no further certificate can be signed with it. Valid from yesterday: the clock of
 * another machine may be late.
 */
export async function createCertificate(
  now: number,
  validDays: number,
  hosts: readonly string[] = thisMachine,
): Promise<Certificate> {
  // Imported only here: loading this library takes a tenth of the start time.
  const { generate } = await import('selfsigned')
  const validity = {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + validDays * DAY_MS),
  } as const
  // A name of its own: TLS libraries look an issuer up by name, and a CA file may hold an earlier one too.
  const name = `svc localnet authority ${randomBytes(4).toString('hex')}`
  const authority = await generate([{ name: 'commonName', value: name }], {
    ...validity,
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  const leaf = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...validity,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: hosts.map((host) =>
          isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host },
        ),
      },
    ],
  })
  return { key: leaf.private, cert: leaf.cert, authority: authority.cert }
}
