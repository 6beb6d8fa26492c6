import { editDistance } from './edit-distance.ts'
import type { TermTable } from './term-table.ts'
import type { TextIndex } from './text-index.ts'

/**
 * Terms in the order of their lengths, each with a mask of its letters: two integer operations rule most of them out. Of one length those
 * come first that a question more likely means.
 */
export type TypoIndex = Readonly<{
  terms: Uint32Array<ArrayBuffer>
  masks: Uint32Array<ArrayBuffer>
  /** Terms of length `n` lie from `lengthStarts[n]` to `lengthStarts[n + 1]`. */
  lengthStarts: Uint32Array<ArrayBuffer>
}>

const MIN_LENGTH = 4
const TWO_EDITS_FROM = 8

/**
 * A search scans the masks of these in the thread that answers requests: for twelve words it takes a millisecond. The words of
 * 20,000 honest listings are fewer.
 */
const MAX_TERMS = 50_000

/** A search compares its words with at most this many terms, letter by letter: a millisecond or two. */
export const MAX_COMPARISONS = 6_000

/**
 * Takes the terms that a question most likely means: first those with a word vector, since nobody can invent such words; then those that
 * more documents hold; then those of older documents.
 */
export function buildTypoIndex(
  { terms: { letters, starts }, starts: postings }: Pick<TextIndex, 'terms' | 'starts'>,
  termWords: Int32Array | null,
): TypoIndex {
  const count = starts.length - 1
  const lengthOf = (term: number): number => (starts[term + 1] as number) - (starts[term] as number)
  const isUnknown = (term: number): number => (termWords && (termWords[term] as number) < 0 ? 1 : 0)
  const holders = (term: number): number =>
    (postings[term + 1] as number) - (postings[term] as number)
  const terms = Uint32Array.from({ length: count }, (_, term) => term)
    .sort((a, b) => isUnknown(a) - isUnknown(b) || holders(b) - holders(a) || a - b)
    .slice(0, MAX_TERMS)
  // The sort is stable: terms of one length keep their order.
  terms.sort((a, b) => lengthOf(a) - lengthOf(b))
  const longest = terms.length === 0 ? 0 : lengthOf(terms[terms.length - 1] as number)
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

/** How many comparisons a question has left: all of its words share them, whatever the listings are. */
export type Comparisons = { left: number }

/**
 * The term that differs least from a misspelled one: by one edit, or by two in words of eight letters and more. Among
 * equals the one with the higher `preference` wins, then the shorter one, then the older one. Undefined when no term is near, the word is too short to judge, or the
 * comparisons are used up before one is found.
 */
export function nearestTerm(
  index: TypoIndex,
  { letters, starts }: TermTable,
  word: string,
  preference: (term: number) => number,
  comparisons: Comparisons,
): number | undefined {
  if (word.length < MIN_LENGTH) return undefined
  const limit = word.length >= TWO_EDITS_FROM ? 2 : 1
  const codes = Uint16Array.from(word, (letter) => letter.charCodeAt(0))
  const mask = maskOf(codes)
  let best: Near | undefined
  for (const length of lengthsNear(word.length, limit)) {
    const to = index.lengthStarts[length + 1] ?? 0
    for (let at = index.lengthStarts[length] ?? to; at < to; at += 1) {
      if (bits(mask ^ (index.masks[at] as number)) > 2 * limit) continue
      if (comparisons.left === 0) return best?.term
      comparisons.left -= 1
      const term = index.terms[at] as number
      const most = best?.distance ?? limit
      const distance = editDistance(codes, letters.subarray(starts[term], starts[term + 1]), most)
      if (distance > most) continue
      const found = { term, distance, length, preference: preference(term) }
      if (best === undefined || isBetter(found, best)) best = found
    }
  }
  return best?.term
}

type Near = Readonly<{ term: number; distance: number; length: number; preference: number }>

const isBetter = (one: Near, other: Near): boolean =>
  (other.distance - one.distance ||
    one.preference - other.preference ||
    other.length - one.length ||
    other.term - one.term) > 0

/** The nearest lengths first. */
const lengthsNear = (length: number, limit: number): readonly number[] =>
  [0, -1, 1, -2, 2]
    .filter((more) => Math.abs(more) <= limit && length + more >= MIN_LENGTH - 1)
    .map((more) => length + more)

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
