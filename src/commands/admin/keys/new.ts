/** `svc keys new`: makes an API key, and the entry with which a service accepts it. */
import { createHash, randomBytes } from 'node:crypto'
import { type ApiKeyEntry, apiKeyEntryText } from '../../../platform/core/api-key-entry.ts'

/** As hard to guess as a seed. */
const KEY_BYTES = 32

/** Prints it as a line of JSON. */
export function makeKey(about: Omit<ApiKeyEntry, 'digest'>): void {
  const key = `svc_${randomBytes(KEY_BYTES).toString('base64url')}`
  const sha256 = createHash('sha256').update(key).digest('hex')
  const entry = apiKeyEntryText({ digest: sha256, ...about })
  process.stdout.write(`${JSON.stringify({ key, sha256, entry })}\n`)
}
