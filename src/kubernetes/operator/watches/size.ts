/** How large a JSON value may be. */
export interface SizeLimit {
  /** Characters of JSON, without escapes. */
  readonly characters: number
  /** Members and elements: an empty object has two characters and takes 50 bytes, one with a name of its own 300. */
  readonly values: number
}

/** Kubernetes accepts 10,000 levels. What freezes, hashes or serialises an object calls itself for each, and fails from some thousand on. */
const MAX_DEPTH = 64

/** Whether a JSON value is within the limit. Reads no more than the limit allows, and calls itself for no level. */
export function isWithin(value: unknown, { characters, values }: SizeLimit): boolean {
  let left = characters
  let members = values
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: one, depth } = next
    if (typeof one !== 'object' || one === null) {
      left -= typeof one === 'string' ? one.length + 3 : String(one).length + 1
    } else {
      const names = Object.keys(one)
      left -= 3
      members -= names.length
      if (members < 0 || depth === MAX_DEPTH) return false
      const isList = Array.isArray(one)
      for (const name of names) {
        if (!isList) left -= name.length + 3
        open.push({ value: (one as Readonly<Record<string, unknown>>)[name], depth: depth + 1 })
      }
    }
    if (left < 0) return false
  }
  return true
}
