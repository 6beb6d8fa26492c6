import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DraftFile, replaceFile } from '../../platform/core/files/draft-file.ts'
import { type Certificate, createCertificate } from './certificate.ts'

interface KeptCertificate extends Certificate {
  /** PEM file for NODE_EXTRA_CA_CERTS, with the same path and authority at each start. */
  readonly caFile: string
}

const DAY_MS = 86_400_000
const VALID_DAYS = 365
/** A certificate is replaced this long before it expires: no network of a developer runs so long. */
const RENEW_DAYS = 30

/**
 * The certificate that a directory keeps; created there when it is missing, unreadable or about to expire. Then the
 * CA file holds the earlier authority too, for networks that still serve with it.
 */
export async function keptCertificate(directory: string, now: number): Promise<KeptCertificate> {
  await mkdir(directory, { recursive: true })
  const file = join(directory, 'localnet-tls.pem')
  const certificate = (await readUsable(file, now)) ?? (await renew(file, now))
  const caFile = join(directory, 'localnet-ca.pem')
  await trust(caFile, certificate.authority, now)
  return { ...certificate, caFile }
}

/** Undefined unless key, certificate and authority belong together and stay valid for a while. */
async function readUsable(file: string, now: number): Promise<Certificate | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const [key = '', cert = '', authority = ''] = pemBlocks(text)
  try {
    const leaf = new X509Certificate(cert)
    const isUsable =
      leaf.checkPrivateKey(createPrivateKey(key)) &&
      leaf.verify(new X509Certificate(authority).publicKey) &&
      leaf.validToDate.getTime() > now + RENEW_DAYS * DAY_MS
    return isUsable ? { key, cert, authority } : undefined
  } catch {
    return undefined
  }
}

/** Creates the file; of two networks that start at the same time for the first time, both use the same. */
async function renew(file: string, now: number): Promise<Certificate> {
  const certificate = await createCertificate(now, VALID_DAYS)
  const { key, cert, authority } = certificate
  // Only this user may read the key.
  await using draft = await DraftFile.open(file, 0o600)
  await draft.write([key, cert, authority].map(withNewline).join(''))
  if (await draft.create()) return certificate
  const other = await readUsable(file, now)
  if (other) return other
  await draft.replace()
  return certificate
}

/** Makes the CA file hold the authority, and of its other certificates those that have not expired. */
async function trust(caFile: string, authority: string, now: number): Promise<void> {
  const present = await readFile(caFile, 'utf8').catch(() => '')
  const earlier = pemBlocks(present).filter(
    (pem) => pem !== authority.trim() && !hasExpired(pem, now),
  )
  const wanted = [authority, ...earlier].map(withNewline).join('')
  if (present === wanted) return
  await replaceFile(caFile, wanted)
}

function hasExpired(pem: string, now: number): boolean {
  try {
    return new X509Certificate(pem).validToDate.getTime() <= now
  } catch {
    return true
  }
}

const pemBlocks = (text: string): string[] =>
  text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? []

const withNewline = (pem: string): string => `${pem.trimEnd()}\n`
