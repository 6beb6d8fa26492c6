import type { DocumentVectors, SearchIndex } from '../index/search-index.ts'
import type { TextIndex } from '../index/text-index.ts'
import type { QueryTerms } from '../query/query-terms.ts'
import { normalise } from '../vectors/encode.ts'
import { type Meaning, nearness, nearnesses } from './nearness.ts'
import type { RankingSettings } from './settings.ts'
import { topOf } from './top.ts'

const FEEDBACK_FROM = 4
const FEEDBACK_OVER = 600

/** The parts of a score, by document, whether or not it meets the constraints. */
export type Parts = Readonly<{
  /** Words in common: 1 would be a document that is made for the question. */
  lexical: Float32Array
  /** Nearness in meaning; null when only words are compared. */
  meaning: Meaning | null
}>

/** `vector` is the question's among `vectors`. */
export const scoreParts = (
  index: SearchIndex,
  terms: QueryTerms,
  vectors: DocumentVectors | null,
  vector: Float32Array | null,
): Parts => ({
  lexical: lexicalScores(index, terms),
  meaning: vectors && vector && nearnesses(vectors, vector, vectors === index.dense),
})

/** Scores of all documents for which `isCandidate` holds 1; the others score minus infinity. */
export function totalScores(
  { penalties }: SearchIndex,
  { lexical, meaning }: Parts,
  isCandidate: Uint8Array,
  { lexicalWeight, cosineWeight, feedbackWeight }: RankingSettings,
): Float32Array {
  const total = lexical.map((value, at) =>
    isCandidate[at] === 1
      ? lexicalWeight * value +
        cosineWeight * (meaning ? (meaning.values[at] as number) : 0) -
        (penalties[at] as number)
      : Number.NEGATIVE_INFINITY,
  )
  if (meaning && feedbackWeight > 0) addFeedback(meaning, total, feedbackWeight)
  return total
}

/**
 * BM25F, relative to what a document could score at most, times the share of the question's words that the document has:
 * a document with one rare word of a long question in common is no better than one with none.
 */
function lexicalScores({ text }: SearchIndex, { subjects }: QueryTerms): Float32Array {
  const scores = new Float32Array(text.size)
  const shared = new Float32Array(text.size)
  const unknownRarity = Math.log(1 + text.size)
  let possible = 0
  for (const { term, weight } of subjects) {
    const worth = weight * (term === undefined ? unknownRarity : (text.rarity[term] as number))
    possible += worth
    if (term !== undefined) addTerm(text, term, weight, worth, scores, shared)
  }
  if (possible > 0)
    for (let at = 0; at < scores.length; at += 1)
      scores[at] = ((scores[at] as number) * (shared[at] as number)) / (2 * possible ** 2)
  return scores
}

function addTerm(
  text: TextIndex,
  term: number,
  weight: number,
  worth: number,
  scores: Float32Array,
  shared: Float32Array,
): void {
  const end = text.starts[term + 1] as number
  for (let at = text.starts[term] as number; at < end; at += 1) {
    const document = text.documents[at] as number
    scores[document] = (scores[document] as number) + weight * (text.scores[at] as number)
    shared[document] = (shared[document] as number) + worth
  }
}

/** Adds the nearness to the centre of question and best documents, which finds what the question did not name (pseudo-relevance). */
function addFeedback(meaning: Meaning, total: Float32Array, weight: number): void {
  const { vectors, vector } = meaning
  const { dimensions, rows } = vectors
  const best = topOf(total, FEEDBACK_OVER)
  const centre = vector.slice()
  const share = 1 / FEEDBACK_FROM / (rows instanceof Int8Array ? 127 : 1)
  for (const at of best.slice(0, FEEDBACK_FROM)) {
    for (let d = 0; d < dimensions; d += 1)
      centre[d] = (centre[d] as number) + share * (rows[at * dimensions + d] as number)
  }
  normalise(centre)
  for (const at of best) total[at] = (total[at] as number) + weight * nearness(meaning, at, centre)
}
