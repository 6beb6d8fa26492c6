import { stemsOf } from '../../src/catalog/search/text/stems.ts'
import type { Source, TextPair } from './training-texts.ts'

/** The stems that get a vector, and in how many texts each occurs. */
export type Vocabulary = Readonly<{
  stems: readonly string[]
  documentFrequency: Float64Array
  texts: number
}>

/** Pairs as ids of the vocabulary. */
export type EncodedPair = readonly [Int32Array, Int32Array]
export type EncodedSource = Readonly<Omit<Source, 'pairs'> & { pairs: readonly EncodedPair[] }>

/** Stems of the question pairs, and the most frequent stems of the others, up to `limit`. Ties keep the order of first use. */
export function vocabularyOf(sources: readonly Source[], limit: number): Vocabulary {
  const frequency = new Map<string, number>()
  const wanted = new Set<string>()
  let texts = 0
  for (const source of sources) {
    for (const text of new Set(source.pairs.flat())) {
      texts += 1
      for (const stem of new Set(stemsOf(text))) {
        frequency.set(stem, (frequency.get(stem) ?? 0) + 1)
        if (source.asked) wanted.add(stem)
      }
    }
  }
  const rest = [...frequency.keys()]
    .filter((stem) => !wanted.has(stem) && (frequency.get(stem) ?? 0) > 1)
    .sort((a, b) => (frequency.get(b) ?? 0) - (frequency.get(a) ?? 0))
  const stems = [...wanted, ...rest].slice(0, limit).sort()
  return {
    stems,
    documentFrequency: Float64Array.from(stems, (stem) => frequency.get(stem) ?? 0),
    texts,
  }
}

/** The sources in ids; a pair with a side of which no stem is known is left out. */
export function encodeSources(sources: readonly Source[], vocabulary: Vocabulary): EncodedSource[] {
  const ids = new Map(vocabulary.stems.map((stem, id) => [stem, id]))
  const encode = (text: string) =>
    Int32Array.from(stemsOf(text).flatMap((stem) => ids.get(stem) ?? []))
  return sources.map((source) => ({
    ...source,
    pairs: source.pairs
      .map(([a, b]: TextPair): EncodedPair => [encode(a), encode(b)])
      .filter(([a, b]) => a.length > 0 && b.length > 0),
  }))
}
