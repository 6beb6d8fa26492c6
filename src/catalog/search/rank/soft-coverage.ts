import type { SearchIndex } from '../index/search-index.ts'
import { termOf } from '../index/term-table.ts'
import type { QueryTerms, Subject } from '../query/query-terms.ts'
import { countOf, type WordVectors } from '../vectors/format.ts'

/**
 * Subjects that are compared, those that weigh most, and stems of a document, its first ones. With thirty documents these are 23,000
 * comparisons: a few milliseconds, whatever the listings are. Of those of the evaluation none has more than 37 stems.
 */
const MAX_SUBJECTS = 12
const MAX_STEMS = 64

/**
 * How much of a question each of some documents covers, word by word: for each stem of the question the likeness (0 to
 * 1) of the document's nearest stem, averaged by weight and rarity. A stem without a vector is covered by itself only.
 */
export function softCoverage(
  { text, termWords }: SearchIndex,
  words: WordVectors | null,
  { subjects }: QueryTerms,
  documents: readonly number[],
): number[] {
  const unknownRarity = Math.log(1 + text.size)
  const weighed = subjects
    .map((subject) => {
      const { term, weight } = subject
      const rarity = term === undefined ? unknownRarity : (text.rarity[term] as number)
      return { weight: weight * rarity, likeness: likenessTo(subject, words, termWords) }
    })
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_SUBJECTS)
  const possible = weighed.reduce((sum, { weight }) => sum + weight, 0)
  if (possible === 0) return documents.map(() => 0)
  return documents.map((document) => {
    const start = text.termStarts[document] as number
    const end = Math.min(start + MAX_STEMS, text.termStarts[document + 1] as number)
    let covered = 0
    for (const { weight, likeness } of weighed) {
      let best = 0
      for (let i = start; i < end; i += 1)
        best = Math.max(best, likeness(text.documentTerms[i] as number))
      covered += weight * best
    }
    return covered / possible
  })
}

/** How much of a question each of some documents has, word by word, by weight and rarity. */
export function exactCoverage(
  { text }: SearchIndex,
  { subjects }: QueryTerms,
  documents: readonly number[],
): number[] {
  const unknownRarity = Math.log(1 + text.size)
  const weightOf = ({ term, weight }: Subject): number =>
    weight * (term === undefined ? unknownRarity : (text.rarity[term] as number))
  const possible = subjects.reduce((sum, subject) => sum + weightOf(subject), 0)
  if (possible === 0) return documents.map(() => 0)
  return documents.map((document) => {
    const held = text.documentTerms.subarray(
      text.termStarts[document],
      text.termStarts[document + 1],
    )
    const met = subjects.filter(({ term }) => term !== undefined && held.includes(term))
    return met.reduce((sum, subject) => sum + weightOf(subject), 0) / possible
  })
}

type Likeness = (term: number) => number

/** Likeness of a wanted word and a term of the index; documents share terms, so each is compared once. */
function likenessTo(
  { stem, term: wanted }: Subject,
  words: WordVectors | null,
  termWords: Int32Array | null,
): Likeness {
  const word = words === null ? undefined : termOf(words.stems, stem)
  if (words === null || termWords === null || word === undefined)
    return (term) => (term === wanted ? 1 : 0)
  const known = new Map<number, number>()
  return (term) => {
    if (term === wanted) return 1
    const other = termWords[term] as number
    if (other === -1) return 0
    const before = known.get(other)
    if (before !== undefined) return before
    const likeness = cosineOfRows(words, word, other)
    known.set(other, likeness)
    return likeness
  }
}

/** Two words' cosine, at least 0. Four products side by side, since the processor adds them at the same time. */
function cosineOfRows(words: WordVectors, a: number, b: number): number {
  const { rows, dimensions } = words
  const lengths = lengthsOf(words)
  const from = a * dimensions
  const to = b * dimensions
  let [p, q, r, t] = [0, 0, 0, 0]
  for (let d = 0; d < dimensions; d += 4) {
    p += (rows[from + d] as number) * (rows[to + d] as number)
    q += (rows[from + d + 1] as number) * (rows[to + d + 1] as number)
    r += (rows[from + d + 2] as number) * (rows[to + d + 2] as number)
    t += (rows[from + d + 3] as number) * (rows[to + d + 3] as number)
  }
  const product = p + q + r + t
  return Math.max(0, product / ((lengths[a] as number) * (lengths[b] as number) || 1))
}

/** The lengths of all word vectors, computed at the first comparison. */
function lengthsOf(words: WordVectors): Float64Array {
  const known = lengths.get(words)
  if (known) return known
  const { rows, dimensions } = words
  const found = new Float64Array(countOf(words.stems))
  for (let word = 0; word < found.length; word += 1) {
    let sum = 0
    for (let d = word * dimensions; d < (word + 1) * dimensions; d += 1)
      sum += (rows[d] as number) ** 2
    found[word] = Math.sqrt(sum)
  }
  lengths.set(words, found)
  return found
}

const lengths = new WeakMap<WordVectors, Float64Array>()
