import { stemsOf } from '../../src/catalog/search/text/stems.ts'
import type { TextOfWords } from './counted-texts.ts'
import type { QuestionPair } from './read-pairs.ts'

/** The stems that get a vector, and in how many texts each occurs. */
export type Vocabulary = Readonly<{
  stems: readonly string[]
  documentFrequency: Float64Array
  texts: number
}>

/** A question and its description as ids of the vocabulary. */
export type EncodedPair = readonly [Int32Array, Int32Array]

/** Stems of the `wanted` texts, and the most frequent stems of the others, up to `limit`. Ties keep the order of first use. */
export function vocabularyOf(
  wanted: readonly TextOfWords[],
  others: readonly TextOfWords[],
  limit: number,
): Vocabulary {
  const frequency = new Map<string, number>()
  for (const { text } of [...wanted, ...others]) {
    for (const stem of new Set(stemsOf(text))) frequency.set(stem, (frequency.get(stem) ?? 0) + 1)
  }
  const first = new Set(wanted.flatMap(({ text }) => stemsOf(text)))
  const rest = [...frequency.keys()]
    .filter((stem) => !first.has(stem) && (frequency.get(stem) ?? 0) > 1)
    .sort((a, b) => (frequency.get(b) ?? 0) - (frequency.get(a) ?? 0))
  const stems = [...first, ...rest].slice(0, limit).sort()
  return {
    stems,
    documentFrequency: Float64Array.from(stems, (stem) => frequency.get(stem) ?? 0),
    texts: wanted.length + others.length,
  }
}

/** What turns a text into ids of the vocabulary; stems that it does not hold are left out. */
export function encoderOf(vocabulary: Vocabulary): (text: string) => Int32Array {
  const ids = new Map(vocabulary.stems.map((stem, id) => [stem, id]))
  return (text) => Int32Array.from(stemsOf(text).flatMap((stem) => ids.get(stem) ?? []))
}

/** The pairs in ids; one with a side of which no stem is known is left out. */
export function encodePairs(
  pairs: readonly QuestionPair[],
  encode: (text: string) => Int32Array,
): EncodedPair[] {
  return pairs
    .map(({ question, description }): EncodedPair => [encode(question), encode(description)])
    .filter(([question, description]) => question.length > 0 && description.length > 0)
}
