const KEY_BYTES = 32
/** Tag and length of a DER OCTET STRING of 32 bytes. */
const OCTET_STRING = Buffer.from([0x04, KEY_BYTES])

/**
 * The raw 32 bytes of an ed25519 key from its CKA_EC_POINT. PKCS#11 v3.0 (section 2.3.5) takes the raw bytes, tokens that follow its
 * drafts wrap them in an OCTET STRING as those of other curves. Undefined for anything else, such as a key of the curve edwards448.
 */
export function publicKeyOfPoint(point: Uint8Array): Uint8Array | undefined {
  if (point.length === KEY_BYTES) return Uint8Array.from(point)
  const isWrapped =
    point.length === OCTET_STRING.length + KEY_BYTES &&
    OCTET_STRING.equals(point.subarray(0, OCTET_STRING.length))
  return isWrapped ? Uint8Array.from(point.subarray(OCTET_STRING.length)) : undefined
}
