import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificate } from './certificate.ts'
import { keptCertificate } from './kept-certificate.ts'

export interface LocalCertificate {
  readonly key: string
  readonly cert: string
  /** PEM file of the authority's certificate, for NODE_EXTRA_CA_CERTS. */
  readonly caFile: string
  /** Removes the temporary directory; keeps a given one. */
  remove(): Promise<void>
}

/** Longer than any process runs that uses a temporary directory. */
const TEMPORARY_DAYS = 30

/**
 * A certificate for localhost, and the file of its authority: the ones that a directory keeps, or new ones.
 *
 * @param directory default: a temporary one
 */
export async function createLocalCertificate(
  now: number,
  directory?: string,
): Promise<LocalCertificate> {
  if (directory !== undefined) {
    return { ...(await keptCertificate(directory, now)), remove: async () => {} }
  }
  const certificate = await createCertificate(now, TEMPORARY_DAYS)
  const folder = await mkdtemp(join(tmpdir(), 'svc-localnet-'))
  const caFile = join(folder, 'localnet-ca.pem')
  await writeFile(caFile, certificate.authority)
  return { ...certificate, caFile, remove: () => rm(folder, { recursive: true, force: true }) }
}
