/** The two answers of the transit engine that a signer needs, checked. */
import { z } from 'zod'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import type { SigningResult } from '../key-service.ts'
import { safeText } from './vault-problem.ts'

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64

const Key = z.object({
  data: z.object({
    type: z.string(),
    derived: z.boolean(),
    latest_version: z.int().positive(),
    /** Symmetric keys have a number for each version, and all others an object. */
    keys: z.record(z.string(), z.unknown()),
  }),
})

const Version = z.object({ public_key: z.string() })

const Signed = z.object({
  data: z.object({
    batch_results: z.array(
      z.object({ signature: z.string().optional(), error: z.string().optional() }),
    ),
  }),
})

export interface TransitKey {
  readonly version: number
  readonly publicKey: Uint8Array
}

/** @param wanted undefined: the latest version */
export function readKey(body: unknown, name: string, wanted: number | undefined): TransitKey {
  const parsed = Key.safeParse(body)
  if (!parsed.success) throw malformed(`the answer about the key ${name}`)
  const { type, derived, latest_version: latest, keys } = parsed.data.data
  if (type !== 'ed25519')
    throw noKey(`the key ${name} is of type ${safeText(type, [])}, not ed25519`)
  if (derived) throw noKey(`the key ${name} is derived: it has another public key for each context`)
  const version = wanted ?? latest
  if (!Object.hasOwn(keys, version)) {
    throw noKey(`the key ${name} has no version ${version}; its latest is ${latest}`)
  }
  const entry = Version.safeParse(keys[version])
  const publicKey = entry.success ? bytesOf(entry.data.public_key, KEY_BYTES) : undefined
  if (!publicKey) throw malformed(`the public key of ${name}, version ${version},`)
  return { version, publicKey }
}

export interface Batch {
  readonly key: string
  readonly version: number
  readonly count: number
  /** Never shown, even if the answer has them. */
  readonly secrets: readonly string[]
}

/** One result for each request. The engine judges all of a batch by the same rules, but says so for each. */
export function readSignatures(body: unknown, batch: Batch): readonly SigningResult[] {
  const parsed = Signed.safeParse(body)
  if (!parsed.success) throw malformed('the answer with signatures')
  const results = parsed.data.data.batch_results
  if (results.length !== batch.count) {
    throw malformed(`the answer, with ${results.length} signatures of ${batch.count},`)
  }
  return results.map(({ signature, error }) => {
    if (error) return refusal(error, batch)
    return { ok: true, signature: signatureOf(signature ?? '', batch.version) }
  })
}

/** The version is above the latest, or below the lowest that may still sign. */
const versionRefused = /^requested version for signing/

function refusal(error: string, { key, version, secrets }: Batch): SigningResult {
  const because = safeText(error, secrets) || 'Vault gives no reason that can be shown'
  if (versionRefused.test(error)) {
    throw noKey(`the key ${key} cannot sign with version ${version}: ${because}`)
  }
  return { ok: false, because }
}

/** Transit writes `vault:v<version>:<base64>`. */
function signatureOf(text: string, version: number): Uint8Array {
  const prefix = `vault:v${version}:`
  const signature = text.startsWith(prefix)
    ? bytesOf(text.slice(prefix.length), SIGNATURE_BYTES)
    : undefined
  if (!signature) throw malformed(`a signature of version ${version}`)
  return signature
}

/** Undefined for what is not base64 of as many bytes; Node itself skips what is not base64. */
function bytesOf(base64: string, length: number): Uint8Array | undefined {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length === length && bytes.toString('base64') === base64
    ? new Uint8Array(bytes)
    : undefined
}

const noKey = (says: string) => new SignerError('no_key', `Vault: ${says}`)

/** Without what was read: it may be anything. */
const malformed = (what: string) =>
  new SignerError('invalid', `Vault: ${what} is not as its documentation says`)
