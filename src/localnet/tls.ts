import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const DAY_MS = 86_400_000

export interface LocalCertificate {
  readonly key: string
  readonly cert: string
  /** PEM file of the authority's certificate, for NODE_EXTRA_CA_CERTS. */
  readonly caFile: string
  /** Removes the temporary directory; keeps a given one. */
  remove(): Promise<void>
}

/**
 * Creates a certificate authority, and with it a certificate for localhost. The authority's key is
 * discarded, so that no further certificate can be signed with it.
 *
 * @param directory for the authority's certificate; default a temporary one
 */
export async function createLocalCertificate(
  now: number,
  directory?: string,
): Promise<LocalCertificate> {
  // Imported only here: loading this library takes a tenth of the start time.
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
  const folder = directory ?? (await mkdtemp(join(tmpdir(), 'svc-localnet-')))
  await mkdir(folder, { recursive: true })
  const caFile = join(folder, 'localnet-ca.pem')
  await writeFile(caFile, authority.cert)
  return {
    key: leaf.private,
    cert: leaf.cert,
    caFile,
    remove: async () => {
      if (directory === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}
