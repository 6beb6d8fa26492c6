import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const DAY_MS = 86_400_000

export interface LocalCertificate {
  readonly key: string
  readonly cert: string
  /** The certificate authority's own certificate in PEM: what NODE_EXTRA_CA_CERTS wants. */
  readonly caFile: string
  /** Removes what was written, unless the directory was given. */
  remove(): Promise<void>
}

/**
 * Makes a certificate authority of our own and with it a certificate for this machine's loopback
 * names. The authority's key is forgotten at once: it can never vouch for anything else.
 *
 * @param directory where the authority's certificate is written; a temporary one when left out
 */
export async function createLocalCertificate(
  now: number,
  directory?: string,
): Promise<LocalCertificate> {
  // Not before it is needed: reading this library is a tenth of a start without https.
  const { generate } = await import('selfsigned')
  const validity = {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + 30 * DAY_MS),
  } as const
  const authority = await generate([{ name: 'commonName', value: 'svc localnet authority' }], {
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
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  })
  const home = directory ?? (await mkdtemp(join(tmpdir(), 'svc-localnet-')))
  await mkdir(home, { recursive: true })
  const caFile = join(home, 'localnet-ca.pem')
  await writeFile(caFile, authority.cert)
  return {
    key: leaf.private,
    cert: leaf.cert,
    caFile,
    remove: async () => {
      if (directory === undefined) await rm(home, { recursive: true, force: true })
    },
  }
}
