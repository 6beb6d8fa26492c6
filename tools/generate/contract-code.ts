import { readFileSync } from 'node:fs'

/** `src/stellar/contracts/upto-code-hash.ts`: the hash of the code that the build of the contract wrote. */
export function contractCodeModule(): string {
  const sums = readFileSync(new URL('../../contracts/upto/upto.sha256', import.meta.url), 'utf8')
  const hash = /^([0-9a-f]{64}) {2}upto\.wasm$/m.exec(sums)?.[1]
  if (hash === undefined) throw new Error('contracts/upto/upto.sha256 names no hash of upto.wasm')
  return `/** SHA-256 of \`contracts/upto/upto.wasm\`. Made from \`upto.sha256\` beside it by \`make generate\`. */
export const UPTO_CODE_HASH = '${hash}'
`
}
