/*
 * Ed25519 keys as `did:key` (W3C CCG): the multicodec prefix of Ed25519 and the 32 bytes of the key, in base58 with the letter z
 * before it.
 */

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** The multicodec of Ed25519 public keys, 0xed, as a varint. */
const ED25519 = [0xed, 0x01]
const KEY_BYTES = 32
const MAX_LENGTH = 64

/** The text after `did:key:`. @param publicKey 32 bytes */
export function multibaseOfKey(publicKey: Uint8Array): string {
  // No zeros lead these bytes, so base58 needs no leading ones.
  let rest = BigInt(`0x${Buffer.from([...ED25519, ...publicKey]).toString('hex')}`)
  let text = ''
  for (; rest > 0n; rest /= 58n) text = ALPHABET.charAt(Number(rest % 58n)) + text
  return `z${text}`
}

/** The 32 bytes of an Ed25519 key; undefined for any other text. */
export function keyOfMultibase(text: string): Uint8Array | undefined {
  if (!text.startsWith('z') || text.length > MAX_LENGTH) return undefined
  let value = 0n
  for (const letter of text.slice(1)) {
    const digit = ALPHABET.indexOf(letter)
    if (digit < 0) return undefined
    value = value * 58n + BigInt(digit)
  }
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  const isEd25519 =
    bytes.length === ED25519.length + KEY_BYTES &&
    bytes[0] === ED25519[0] &&
    bytes[1] === ED25519[1]
  const key = bytes.subarray(ED25519.length)
  // One text for each key: leading ones would be another one.
  return isEd25519 && multibaseOfKey(key) === text ? new Uint8Array(key) : undefined
}
