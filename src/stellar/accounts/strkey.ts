/** Strkeys of the addresses that can pay or be paid (SEP-23), checksum included. */
import { StrKey } from '@stellar/stellar-sdk'

export type AddressKind =
  /** `G...`, an account. */
  | 'account'
  /** `C...`, a contract. */
  | 'contract'
  /** `M...`, an account with a 64-bit id that tells its holder's customers apart. */
  | 'muxed'

const PUBLIC_KEY_BYTES = 32

/** The kind of a well-formed strkey; undefined for anything else, wrong checksums included. */
export function addressKind(text: string): AddressKind | undefined {
  if (StrKey.isValidEd25519PublicKey(text)) return 'account'
  if (StrKey.isValidContract(text)) return 'contract'
  if (StrKey.isValidMed25519PublicKey(text)) return 'muxed'
  return undefined
}

/** The account behind a muxed address; every other address is its own. */
export function baseAddress(address: string): string {
  if (!address.startsWith('M')) return address
  const payload = StrKey.decodeMed25519PublicKey(address)
  return StrKey.encodeEd25519PublicKey(payload.subarray(0, PUBLIC_KEY_BYTES))
}

/** The id inside a muxed address; undefined for other addresses. */
export function muxedId(address: string): bigint | undefined {
  if (!address.startsWith('M')) return undefined
  const payload = StrKey.decodeMed25519PublicKey(address)
  return Buffer.from(payload).readBigUInt64BE(PUBLIC_KEY_BYTES)
}

/** The raw ed25519 key of a `G...` address. */
export const publicKeyOf = (address: string): Uint8Array => StrKey.decodeEd25519PublicKey(address)

/** The `G...` address of a raw ed25519 key. */
export const addressOf = (publicKey: Uint8Array): string => StrKey.encodeEd25519PublicKey(publicKey)

/** Whether the text is a secret seed, `S...`. */
export const isSecretSeed = (text: string): boolean => StrKey.isValidEd25519SecretSeed(text)
