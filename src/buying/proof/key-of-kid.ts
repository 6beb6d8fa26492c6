import { keyOfMultibase } from '../../platform/core/text/did-key.ts'

/** How a `kid` leads to its key. */
export type NamedKey =
  /** The key itself, 32 bytes of Ed25519. */
  | { readonly kind: 'key'; readonly publicKey: Uint8Array }
  /** The key is in the document of a site. */
  | { readonly kind: 'site'; readonly document: URL; readonly host: string }

/** Reads `did:key`, `did:jwk` and `did:web`; undefined for any other `kid`, and for keys that are not Ed25519. */
export function readKid(kid: string): NamedKey | undefined {
  const [did = '', ...fragments] = kid.split('#')
  const [scheme, method, ...id] = did.split(':')
  if (scheme !== 'did' || fragments.length > 1) return undefined
  switch (method) {
    case 'key':
      return keyNamed(keyOfMultibase(id.join(':')))
    case 'jwk':
      return keyNamed(keyOfJwk(jsonOf(id.join(':'))))
    case 'web':
      return siteOf(id)
    default:
      return undefined
  }
}

const keyNamed = (publicKey: Uint8Array | undefined): NamedKey | undefined =>
  publicKey && { kind: 'key', publicKey }

/** The 32 bytes of an Ed25519 key in a JWK; undefined for anything else. */
export function keyOfJwk(jwk: unknown): Uint8Array | undefined {
  const { kty, crv, x } = Object(jwk) as Readonly<Record<string, unknown>>
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') return undefined
  const bytes = Buffer.from(x, 'base64url')
  return bytes.length === 32 ? new Uint8Array(bytes) : undefined
}

function jsonOf(base64url: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

/** `did:web:host%3Aport:path` has its document at `https://host:port/path/did.json`, without a path in `/.well-known`. */
function siteOf([encoded = '', ...path]: readonly string[]): NamedKey | undefined {
  if (!/^[A-Za-z0-9.-]+(%3A\d{1,5})?$/i.test(encoded)) return undefined
  if (!path.every((segment) => /^[A-Za-z0-9._~-]+$/.test(segment) && !/^\.+$/.test(segment)))
    return undefined
  const host = encoded.replace(/%3A/i, ':').toLowerCase()
  const place = path.length === 0 ? '.well-known' : path.join('/')
  const document = URL.parse(`https://${host}/${place}/did.json`)
  return document ? { kind: 'site', document, host: document.host } : undefined
}

/** The Ed25519 key with the id `kid` in a DID document; undefined when it has none. */
export function keyInDocument(document: unknown, kid: string): Uint8Array | undefined {
  const [did] = kid.split('#')
  const { id, verificationMethod } = Object(document) as Readonly<Record<string, unknown>>
  if (id !== did || !Array.isArray(verificationMethod)) return undefined
  for (const method of verificationMethod) {
    const {
      id: name,
      publicKeyJwk,
      publicKeyMultibase,
    } = Object(method) as Readonly<Record<string, unknown>>
    const isNamed =
      name === kid || (typeof name === 'string' && name.startsWith('#') && did + name === kid)
    if (!isNamed) continue
    return typeof publicKeyMultibase === 'string'
      ? keyOfMultibase(publicKeyMultibase)
      : keyOfJwk(publicKeyJwk)
  }
  return undefined
}
