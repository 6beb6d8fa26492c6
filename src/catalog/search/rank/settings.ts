/** How the parts of a ranking are weighed. Tests and the evaluation turn parts off; the service uses `RANKING`. */
export type RankingSettings = Readonly<{
  lexicalWeight: number
  cosineWeight: number
  /** Weight of the likeness to the best documents of the first pass. */
  feedbackWeight: number
  /** Weight of soft coverage, over the first documents. */
  coverageWeight: number
  /** What an MCP tool gains when the question asks for a tool. */
  toolBonus: number
  rescueTypos: boolean
  /** A document with a lower cosine is found by its words only. For the vectors of an embeddings endpoint. */
  similarityFloor: number
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
}
