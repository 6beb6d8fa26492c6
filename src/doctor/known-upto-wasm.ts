import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** SHA-256 of the settlement contract's code that this version ships, 64 hex digits. */
export const knownUptoWasm = (): string =>
  createHash('sha256')
    .update(readFileSync(new URL('../../contracts/upto/upto.wasm', import.meta.url)))
    .digest('hex')
