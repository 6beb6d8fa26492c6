import type { SearchIndex } from '../index/search-index.ts'
import { wordOf } from '../index/term-table.ts'
import type { QueryTerms } from '../query/query-terms.ts'
import type { WordVectors } from '../vectors/format.ts'

type Wanted = Readonly<{
  term: number | undefined
  weight: number
  /** Row of its word vector. */
  id: number | undefined
}>

/**
 * How much of a question each of some documents covers, word by word: for each stem of the question the likeness (0 to
 * 1) of the document's nearest stem, averaged by weight and rarity. A stem without a vector is covered by itself only.
 */
export function softCoverage(
  index: SearchIndex,
  words: WordVectors | null,
  { subjects }: QueryTerms,
  documents: readonly number[],
): number[] {
  const { text } = index
  const unknownRarity = Math.log(1 + text.size)
  const wanted = subjects.map(({ stem, term, weight }) => ({
    term,
    weight: weight * (term === undefined ? unknownRarity : (text.rarity[term] as number)),
    id: words?.ids.get(stem),
  }))
  const possible = wanted.reduce((sum, { weight }) => sum + weight, 0)
  if (possible === 0) return documents.map(() => 0)
  const likenesses = wanted.map((one) => rememberedLikeness(index, words, one))
  return documents.map((document) => {
    const held = text.documentTerms.subarray(
      text.termStarts[document],
      text.termStarts[document + 1],
    )
    let covered = 0
    for (const [at, { weight }] of wanted.entries()) {
      let best = 0
      for (const term of held) best = Math.max(best, (likenesses[at] as Likeness)(term))
      covered += weight * best
    }
    return covered / possible
  })
}

type Likeness = (term: number) => number

/** Likeness of a wanted word and a term of the index; documents share terms, so each is compared once. */
function rememberedLikeness(
  { text }: SearchIndex,
  words: WordVectors | null,
  wanted: Wanted,
): Likeness {
  const known = new Map<number, number>()
  return (term) => {
    if (term === wanted.term) return 1
    if (words === null || wanted.id === undefined) return 0
    const before = known.get(term)
    if (before !== undefined) return before
    const id = words.ids.get(wordOf(text.terms, term))
    const value = id === undefined ? 0 : cosineOfRows(words, wanted.id, id)
    known.set(term, value)
    return value
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
