import type { RawTransaction } from '../rpc/pages/transaction-pages.ts'

/**
 * Whether an envelope may hold a call of one of some functions, told by a search for their names in its text: it costs a
 * thousandth of decoding, and few transactions of a network call them. A name in another place, such as a memo, is found
 * as well.
 */
export type MayCall = (members: RawTransaction['raw']) => boolean

export function mayCall(functionNames: readonly string[]): MayCall {
  const encoded = functionNames.flatMap(base64Forms)
  const quoted = functionNames.map((name) => `"${name}"`)
  return ({ envelopeXdr, envelopeJson }) => {
    if (typeof envelopeXdr === 'string') return encoded.some((form) => envelopeXdr.includes(form))
    const json = JSON.stringify(envelopeJson) ?? ''
    return quoted.some((form) => json.includes(form))
  }
}

const LENGTH_BYTES = 4

/**
 * The text of an XDR symbol in base64 of bytes around it, without the characters that it shares with other bytes: one
 * for each place of its first byte in a group of three.
 */
function base64Forms(symbol: string): string[] {
  const bytes = Buffer.alloc(LENGTH_BYTES + Math.ceil(symbol.length / 4) * 4)
  bytes.writeUInt32BE(symbol.length)
  bytes.write(symbol, LENGTH_BYTES)
  return [0, 1, 2].map((skipped) => {
    const whole = Math.floor((bytes.length - skipped) / 3) * 3
    return bytes.subarray(skipped, skipped + whole).toString('base64')
  })
}
