/*
 * The x402 extension `offer-receipt`: terms that a seller has signed, and its signed statement that it was paid and delivered.
 * Only the format JWS with EdDSA is here: the other one, EIP-712, needs an account of an EVM chain.
 */
import { canonicalJson } from '../../platform/core/text/canonical-json.ts'

export const OFFER_RECEIPT = 'offer-receipt'

/** Of the payloads; another version has other members. */
export const ARTIFACT_VERSION = 1

/** A signed offer or receipt, as it travels. `acceptIndex`, of offers, is not signed. */
export interface SignedArtifact {
  readonly format: 'jws'
  /** A JWS in compact serialization, which contains the payload. */
  readonly signature: string
  readonly acceptIndex?: number
}

export interface OfferPayload {
  readonly version: number
  readonly resourceUrl: string
  readonly scheme: string
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
  readonly payTo: string
  /** Base units. */
  readonly amount: string
  /** Unix seconds. */
  readonly validUntil?: number
}

export interface ReceiptPayload {
  readonly version: number
  /** CAIP-2. */
  readonly network: string
  readonly resourceUrl: string
  readonly payer: string
  /** Unix seconds. */
  readonly issuedAt: number
  /** The hash; absent when the seller prefers that nobody finds the payment by its receipt. */
  readonly transaction?: string
}

interface JwsHeader {
  readonly alg: string
  /** A DID URL that names the key. */
  readonly kid: string
}

/** The text that is signed: header and payload, the payload in canonical JSON (RFC 8785). */
export const jwsSigningInput = (header: JwsHeader, payload: object): string =>
  [JSON.stringify({ alg: header.alg, kid: header.kid }), canonicalJson(payload)]
    .map((text) => Buffer.from(text, 'utf8').toString('base64url'))
    .join('.')

/** The parts of a JWS, of which nothing is verified. */
export interface ReadJws {
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: Readonly<Record<string, unknown>>
  readonly signingInput: string
  readonly signature: Uint8Array
}

/** An artifact has less than 1 KB; the longest URL that a payment may name has 2,048 characters. */
const MAX_JWS_LENGTH = 16_384

/** Reads a compact JWS whose header and payload are JSON objects; undefined for anything else. */
export function readJws(text: string): ReadJws | undefined {
  if (text.length > MAX_JWS_LENGTH) return undefined
  const [header = '', payload = '', signature = '', ...more] = text.split('.')
  if (more.length > 0 || ![header, payload, signature].every(isBase64url)) return undefined
  const [readHeader, readPayload] = [objectIn(header), objectIn(payload)]
  if (!readHeader || !readPayload) return undefined
  return {
    header: readHeader,
    payload: readPayload,
    signingInput: `${header}.${payload}`,
    signature: Buffer.from(signature, 'base64url'),
  }
}

/** Strict: another text for the same bytes would be the same signature in another form. */
const isBase64url = (text: string): boolean =>
  text !== '' && Buffer.from(text, 'base64url').toString('base64url') === text

function objectIn(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const bytes = Buffer.from(part, 'base64url')
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
