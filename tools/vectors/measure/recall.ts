import { stemsOf } from '../../../src/catalog/search/text/stems.ts'
import { encodeStems } from '../../../src/catalog/search/vectors/encode.ts'
import type { WordVectors } from '../../../src/catalog/search/vectors/format.ts'
import type { QuestionPair } from '../read-pairs.ts'

/**
 * How often the description of a question is among the `first` nearest of all `descriptions`, and the mean of 1 / rank.
 * A question of which no stem has a vector finds nothing.
 */
export function recall(
  vectors: WordVectors,
  questions: readonly QuestionPair[],
  descriptions: readonly string[],
  first: number,
): { recall: number; reciprocalRank: number } {
  const known = descriptions.map((text) => ({
    text,
    vector: encodeStems(vectors, stemsOf(text), 'description'),
  }))
  const byText = new Map(known.map(({ text, vector }) => [text, vector]))
  let found = 0
  let reciprocal = 0
  for (const { question, description } of questions) {
    const asked = encodeStems(vectors, stemsOf(question), 'question')
    const right = byText.get(description)
    if (asked === null || right === null || right === undefined) continue
    const own = cosine(asked, right)
    const rank =
      1 + known.filter(({ vector }) => vector !== null && cosine(asked, vector) > own).length
    if (rank <= first) found += 1
    reciprocal += 1 / rank
  }
  return { recall: found / questions.length, reciprocalRank: reciprocal / questions.length }
}

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let d = 0; d < a.length; d += 1) sum += (a[d] as number) * (b[d] as number)
  return sum
}
