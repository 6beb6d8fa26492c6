import type { SearchIndex } from '../index/search-index.ts'
import type { QueryTerms, Subject } from '../query/query-terms.ts'
import type { WordVectors } from '../vectors/format.ts'

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
  const weights = subjects.map(
    ({ term, weight }) =>
      weight * (term === undefined ? unknownRarity : (text.rarity[term] as number)),
  )
  const possible = weights.reduce((sum, weight) => sum + weight, 0)
  if (possible === 0) return documents.map(() => 0)
  const likenesses = subjects.map((subject) => likenessTo(subject, words, termWords))
  return documents.map((document) => {
    const end = text.termStarts[document + 1] as number
    let covered = 0
    for (let at = 0; at < subjects.length; at += 1) {
      const likeness = likenesses[at] as Likeness
      let best = 0
      for (let i = text.termStarts[document] as number; i < end; i += 1)
        best = Math.max(best, likeness(text.documentTerms[i] as number))
      covered += (weights[at] as number) * best
    }
    return covered / possible
  })
}

type Likeness = (term: number) => number

/** Likeness of a wanted word and a term of the index; documents share terms, so each is compared once. */
function likenessTo(
  { stem, term: wanted }: Subject,
  words: WordVectors | null,
  termWords: Int32Array | null,
): Likeness {
  const word = words?.ids.get(stem)
  if (words === null || termWords === null || word === undefined)
    return (term) => (term === wanted ? 1 : 0)
  const known = new Float32Array(termWords.length).fill(-1)
  if (wanted !== undefined) known[wanted] = 1
  return (term) => {
    if ((known[term] as number) < 0) {
      const other = termWords[term] as number
      known[term] = other === -1 ? 0 : cosineOfRows(words, word, other)
    }
    return known[term] as number
  }
}

function cosineOfRows({ rows, dimensions }: WordVectors, a: number, b: number): number {
  let product = 0
  let left = 0
  let right = 0
  for (let d = 0; d < dimensions; d += 1) {
    const x = rows[a * dimensions + d] as number
    const y = rows[b * dimensions + d] as number
    product += x * y
    left += x * x
    right += y * y
  }
  return Math.max(0, product / Math.sqrt(left * right || 1))
}
