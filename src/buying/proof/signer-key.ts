import { keyInDocument, keyOfJwk, type NamedKey, readKid } from './key-of-kid.ts'

/** Fetches the document of a site. A failure is a sentence, and not thrown. */
export type FetchDocument = (
  url: URL,
) => Promise<{ readonly document: unknown } | { readonly failure: string }>

/** The key that an artifact names. */
export interface SignerKey {
  /** Undefined when it is not known, because of `problem`. */
  readonly publicKey: Uint8Array | undefined
  readonly named: NamedKey | undefined
  /** Whether the source that `kid` names has the key: a key in the header alone proves no more than that somebody has it. */
  readonly isResolved: boolean
  /** Whether the key of the header is another one than that of `kid`. */
  readonly contradicts: boolean
  readonly problem?: string
}

/** Finds the key of a JWS by its header, as the extension says: `jwk` if it is there, and both must be the same. */
export async function signerKey(
  header: Readonly<Record<string, unknown>>,
  fetchDocument: FetchDocument,
): Promise<SignerKey> {
  const kid = String(header['kid'])
  const named = readKid(kid)
  const given = header['jwk'] === undefined ? undefined : keyOfJwk(header['jwk'])
  const resolved = await resolve(named, kid, fetchDocument)
  if ('problem' in resolved) {
    return { publicKey: given, named, isResolved: false, contradicts: false, ...resolved }
  }
  const { publicKey } = resolved
  const contradicts =
    header['jwk'] !== undefined && !(given && Buffer.from(given).equals(publicKey))
  return { publicKey, named, isResolved: true, contradicts }
}

async function resolve(
  named: NamedKey | undefined,
  kid: string,
  fetchDocument: FetchDocument,
): Promise<{ readonly publicKey: Uint8Array } | { readonly problem: string }> {
  if (!named) return { problem: 'kid names no Ed25519 key by did:key, did:jwk or did:web' }
  if (named.kind === 'key') return { publicKey: named.publicKey }
  const fetched = await fetchDocument(named.document)
  if ('failure' in fetched) return { problem: fetched.failure }
  const publicKey = keyInDocument(fetched.document, kid)
  return publicKey ? { publicKey } : { problem: `${named.document} has no such key` }
}
