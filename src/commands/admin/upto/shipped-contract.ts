import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The settlement contract that this version ships. */
export interface ShippedContract {
  readonly wasm: Uint8Array
  /** SHA-256 of it, 64 hex digits. */
  readonly hash: string
}

export function shippedContract(): ShippedContract {
  const wasm = readFileSync(new URL('../../../../contracts/upto/upto.wasm', import.meta.url))
  return { wasm, hash: createHash('sha256').update(wasm).digest('hex') }
}

/**
 * The salt of its address: one sponsor gets one contract of each version of the code, however often it deploys.
 * @param hash of the code, 64 hex digits
 */
export const saltOf = (hash: string): Uint8Array =>
  new Uint8Array(createHash('sha256').update(`svc/upto-contract/v1/${hash}`).digest())
