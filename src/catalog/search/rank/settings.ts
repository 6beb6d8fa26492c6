import type { QuestionForm } from '../query/query-terms.ts'

/** How the parts of a ranking are weighed. Tests and the evaluation turn parts off; the service uses `RANKING`. */
export type RankingSettings = Readonly<{
  lexicalWeight: number
  cosineWeight: number
  /** Weight of the likeness to the best documents of the first pass. */
  feedbackWeight: number
  /** Weight of soft coverage, over the first documents. */
  coverageWeight: number
  /** An MCP tool gains this score when the question asks for a tool. */
  toolBonus: number
  rescueTypos: boolean
  /** A document with a lower cosine is found by its words only. For the vectors of an embeddings endpoint. */
  similarityFloor: number
  /** Where the catalog's evidence for a question is lower, nothing in it is relevant: for a few bare words, and for all other questions. */
  noAnswerBelow: Readonly<Record<QuestionForm, number>>
  /** Where a question's constraints leave a smaller share of the best score, nothing relevant meets them. */
  leastKept: number
  /** Below these the answer may be beside the question. They and the two above hold for the weights of `RANKING`. */
  lowConfidenceBelow: Readonly<Record<QuestionForm, number>>
  lowKept: number
  /** A document with a smaller share of the best score is left out of the answer. */
  tailKept: number
}>

/** Measured on the tuning half of the evaluation: docs/search.md. */
export const RANKING: RankingSettings = {
  lexicalWeight: 0.3,
  cosineWeight: 0.6,
  feedbackWeight: 0.5,
  coverageWeight: 0.15,
  toolBonus: 0.08,
  rescueTypos: true,
  similarityFloor: 0.3,
  noAnswerBelow: { words: 0.96, sentence: 0.6 },
  leastKept: 0.58,
  lowConfidenceBelow: { words: 1.1, sentence: 0.85 },
  lowKept: 0.75,
  tailKept: 0.3,
}
