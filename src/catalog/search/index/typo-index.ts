import { editDistance } from './edit-distance.ts'
import type { TermTable } from './term-table.ts'

/** Terms in the order of their lengths, each with a mask of its letters: two integer operations rule most of them out. */
export type TypoIndex = Readonly<{
  terms: Uint32Array<ArrayBuffer>
  masks: Uint32Array<ArrayBuffer>
  /** Terms of length `n` lie from `lengthStarts[n]` to `lengthStarts[n + 1]`. */
  lengthStarts: Uint32Array<ArrayBuffer>
}>

const MIN_LENGTH = 4
const TWO_EDITS_FROM = 8

export function buildTypoIndex({ letters, starts }: TermTable): TypoIndex {
  const count = starts.length - 1
  const lengthOf = (term: number): number => (starts[term + 1] as number) - (starts[term] as number)
  const terms = Uint32Array.from({ length: count }, (_, term) => term)
  terms.sort((a, b) => lengthOf(a) - lengthOf(b) || a - b)
  const longest = count === 0 ? 0 : lengthOf(terms[count - 1] as number)
  const lengthStarts = new Uint32Array(longest + 2)
  for (const term of terms)
    lengthStarts[lengthOf(term) + 1] = (lengthStarts[lengthOf(term) + 1] as number) + 1
  for (let length = 0; length <= longest; length += 1)
    lengthStarts[length + 1] =
      (lengthStarts[length + 1] as number) + (lengthStarts[length] as number)
  const masks = Uint32Array.from(terms, (term) =>
    maskOf(letters.subarray(starts[term], starts[term + 1])),
  )
  return { terms, masks, lengthStarts }
}

/**
 * The term that differs least from a misspelled one: by one edit, or by two in words of eight letters and more. Among
 * equals the one with the higher `preference` wins. Undefined when no term is near, or the word is too short to judge.
 */
export function nearestTerm(
  index: TypoIndex,
  { letters, starts }: TermTable,
  word: string,
  preference: (term: number) => number,
): number | undefined {
  if (word.length < MIN_LENGTH) return undefined
  const limit = word.length >= TWO_EDITS_FROM ? 2 : 1
  const codes = Uint16Array.from(word, (letter) => letter.charCodeAt(0))
  const mask = maskOf(codes)
  const longest = index.lengthStarts.length - 2
  const from = index.lengthStarts[Math.min(Math.max(MIN_LENGTH - 1, word.length - limit), longest)]
  const to = index.lengthStarts[Math.min(word.length + limit, longest) + 1] as number
  let best: { term: number; distance: number } | undefined
  for (let at = from as number; at < to; at += 1) {
    if (bits(mask ^ (index.masks[at] as number)) > 2 * limit) continue
    const term = index.terms[at] as number
    const most = best?.distance ?? limit
    const distance = editDistance(codes, letters.subarray(starts[term], starts[term + 1]), most)
    if (distance > most) continue
    if (best === undefined || distance < best.distance || preference(term) > preference(best.term))
      best = { term, distance }
  }
  return best?.term
}

/** One bit for each letter a to z; other characters share the 32 bits by their codes. */
function maskOf(codes: Uint16Array): number {
  let mask = 0
  for (let at = 0; at < codes.length; at += 1) mask |= 1 << (((codes[at] as number) - 97) & 31)
  return mask >>> 0
}

function bits(value: number): number {
  let rest = value - ((value >>> 1) & 0x55555555)
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
