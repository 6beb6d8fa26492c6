import { verifyBytes } from '../accounts/ed25519.ts'
import type { ScValue } from '../values/sc-value.ts'

/** One member of the signature vector of a `G...` account in an authorization entry. */
export interface AccountSignature {
  /** Raw 32 bytes. */
  readonly publicKey: Uint8Array
  /** Raw 64 bytes. */
  readonly signature: Uint8Array
}

/**
 * Reads the signature of a `G...` account: a vector of maps `{public_key, signature}`
 * (CAP-46-11). Undefined for every other shape, which the ledger refuses for such accounts.
 */
export function readAccountSignatures(value: ScValue): readonly AccountSignature[] | undefined {
  if (value.type !== 'vec') return undefined
  const read = value.items.map(readOne)
  return read.every((each) => each !== undefined) ? read : undefined
}

/** Whether the signature is one of its key over the payload of the entry. */
export const isSignatureOver = (
  payload: Uint8Array,
  { publicKey, signature }: AccountSignature,
): boolean => verifyBytes(payload, publicKey, signature)

function readOne(item: ScValue): AccountSignature | undefined {
  if (item.type !== 'map') return undefined
  const publicKey = bytesAt(item.entries, 'public_key')
  const signature = bytesAt(item.entries, 'signature')
  return publicKey && signature && { publicKey, signature }
}

function bytesAt(
  entries: readonly (readonly [ScValue, ScValue])[],
  name: string,
): Uint8Array | undefined {
  const value = entries.find(([key]) => key.type === 'symbol' && key.value === name)?.[1]
  return value?.type === 'bytes' ? value.value : undefined
}
