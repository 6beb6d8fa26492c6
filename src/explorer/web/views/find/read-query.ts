import { cleanLine, cutTo } from '../../../../platform/core/text/hostile-text.ts'
import { addressKind, baseAddress } from '../../../../stellar/accounts/strkey.ts'

/** The things that a person may look for. */
export type Sought =
  | { readonly kind: 'payment'; readonly txHash: string }
  | { readonly kind: 'address'; readonly address: string }
  /** The shape of an address with a checksum that is wrong. */
  | { readonly kind: 'mistyped'; readonly text: string }
  | { readonly kind: 'name'; readonly text: string }

/** A hash or an address within other text, as in the address of another explorer's page. */
const hashWithin = /(?<![0-9a-zA-Z])[0-9a-f]{64}(?![0-9a-zA-Z])/i
const addressWithin = /(?<![0-9a-zA-Z])(?:[GC][A-Z2-7]{55}|M[A-Z2-7]{68})(?![0-9a-zA-Z])/i
/** Longer than any name; what is longer is cut. */
const MAX_NAME = 100

/** Reads what was typed or pasted into the search box: an address, a hash, a link that contains one, or a name. */
export function readQuery(query: string): Sought {
  const text = query.trim()
  const [hash] = hashWithin.exec(text) ?? []
  if (hash !== undefined) return { kind: 'payment', txHash: hash.toLowerCase() }
  const [found] = addressWithin.exec(text) ?? []
  if (found === undefined) return { kind: 'name', text: cutTo(MAX_NAME, cleanLine(text)) }
  const address = found.toUpperCase()
  return addressKind(address) === undefined
    ? { kind: 'mistyped', text: found }
    : { kind: 'address', address: baseAddress(address) }
}
