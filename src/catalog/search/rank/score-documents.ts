import type { DocumentVectors } from '../index/document-vectors.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { TextIndex } from '../index/text-index.ts'
import type { QueryTerms } from '../query/query-terms.ts'
import { normalise } from '../vectors/encode.ts'
import type { RankingSettings } from './settings.ts'
import { topOf } from './top.ts'

const FEEDBACK_FROM = 4
const FEEDBACK_OVER = 600
const FEEDBACK_SHARE = 1

/** The parts of a score, by document, whether or not it meets the constraints. */
export type Parts = Readonly<{
  /** Words in common: 1 would be a document that is made for the question. */
  lexical: Float32Array
  /** Cosine of question and document, 0 without vectors. */
  cosine: Float32Array
}>

export const scoreParts = (
  index: SearchIndex,
  terms: QueryTerms,
  question: Float32Array | null,
): Parts => ({
  lexical: lexicalScores(index, terms),
  cosine:
    question && index.vectors
      ? cosines(index.vectors, question)
      : new Float32Array(index.documents.length),
})

/** Scores of all documents for which `isCandidate` holds 1; the others score minus infinity. */
export function totalScores(
  { vectors }: SearchIndex,
  { lexical, cosine }: Parts,
  question: Float32Array | null,
  isCandidate: Uint8Array,
  { lexicalWeight, cosineWeight, feedbackWeight }: RankingSettings,
): Float32Array {
  const total = lexical.map((value, at) =>
    isCandidate[at] === 1
      ? lexicalWeight * value + cosineWeight * (cosine[at] as number)
      : Number.NEGATIVE_INFINITY,
  )
  if (question && vectors && feedbackWeight > 0)
    addFeedback(vectors, question, total, feedbackWeight)
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

function cosines({ dimensions, rows }: DocumentVectors, question: Float32Array): Float32Array {
  const result = new Float32Array(rows.length / dimensions)
  for (let at = 0; at < result.length; at += 1) result[at] = dot(rows, at * dimensions, question)
  return result
}

/** Adds the likeness to the centre of the best documents, which find what the question did not name (pseudo-relevance). */
function addFeedback(
  { dimensions, rows }: DocumentVectors,
  question: Float32Array,
  total: Float32Array,
  weight: number,
): void {
  const best = topOf(total, FEEDBACK_OVER)
  const centre = question.slice()
  const share = FEEDBACK_SHARE / FEEDBACK_FROM
  for (const at of best.slice(0, FEEDBACK_FROM)) {
    for (let d = 0; d < dimensions; d += 1)
      centre[d] = (centre[d] as number) + share * (rows[at * dimensions + d] as number)
  }
  normalise(centre)
  for (const at of best)
    total[at] = (total[at] as number) + weight * dot(rows, at * dimensions, centre)
}

/** Four sums side by side, since the processor adds them at the same time. `vector` has a multiple of four numbers. */
function dot(rows: DocumentVectors['rows'], from: number, vector: Float32Array): number {
  let a = 0
  let b = 0
  let c = 0
  let e = 0
  for (let d = 0; d < vector.length; d += 4) {
    a += (rows[from + d] as number) * (vector[d] as number)
    b += (rows[from + d + 1] as number) * (vector[d + 1] as number)
    c += (rows[from + d + 2] as number) * (vector[d + 2] as number)
    e += (rows[from + d + 3] as number) * (vector[d + 3] as number)
  }
  return a + b + c + e
}
