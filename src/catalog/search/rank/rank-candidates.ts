import type { DocumentVectors, SearchIndex } from '../index/search-index.ts'
import type { QueryTerms } from '../query/query-terms.ts'
import type { WordVectors } from '../vectors/format.ts'
import {
  confidenceOf,
  LOW_CONFIDENCE_BELOW,
  LOW_COVERAGE_BELOW,
  MAX_CONSTRAINT_GAP,
  NO_ANSWER_BELOW,
} from './confidence.ts'
import { cosineOf } from './nearness.ts'
import { type Parts, scoreParts, totalScores } from './score-documents.ts'
import type { RankingSettings } from './settings.ts'
import { softCoverage } from './soft-coverage.ts'
import { topOf } from './top.ts'

/** Most documents that an answer ranks. */
export const MAX_RANKED = 200
const RERANKED = 30
const CONFIDENCE_COVERAGES = 3
const CONFIDENCE_COSINES = 10

/** What a ranking needs to know of the question. */
export type Ranking = Readonly<{
  index: SearchIndex
  words: WordVectors | null
  terms: QueryTerms
  /** Vectors of documents and question; null when only words are compared, or no word has a vector. */
  vectors: DocumentVectors | null
  vector: Float32Array | null
  asksForTool: boolean
  settings: RankingSettings
}>

/** Places of documents, best first; none when nothing answers the question. */
export type Ranked = Readonly<{ ranked: readonly number[]; lowConfidence: boolean }>

const NOTHING: Ranked = { ranked: [], lowConfidence: false }

/** Ranks the documents for which `isCandidate` holds 1. */
export function rankCandidates(ranking: Ranking, isCandidate: Uint8Array): Ranked {
  const { index, terms, vectors, vector, settings } = ranking
  const parts = scoreParts(index, terms, vectors, vector)
  const total = totalScores(index, parts, isCandidate, settings)
  const found = topOf(total, MAX_RANKED).filter(
    (at) => (total[at] as number) > 0 && isNearOrNamed(ranking, parts, at),
  )
  const best = found[0]
  if (best === undefined) return NOTHING
  if (!isCandidate.every((value) => value === 1)) {
    const everything = new Uint8Array(isCandidate.length).fill(1)
    const unconstrained = totalScores(index, parts, everything, settings)
    if (highest(unconstrained) - (total[best] as number) > MAX_CONSTRAINT_GAP) return NOTHING
  }
  const { ranked, coverages } = rerank(ranking, total, found)
  const coverage = Math.max(0, ...coverages.slice(0, CONFIDENCE_COVERAGES))
  const { meaning } = parts
  // The thresholds were measured with the shipped vectors.
  if (meaning === null || meaning.vectors === index.dense)
    return { ranked, lowConfidence: coverage < LOW_COVERAGE_BELOW }
  const nearest = ranked.slice(0, CONFIDENCE_COSINES).map((at) => meaning.values[at] as number)
  const confidence = confidenceOf(coverage, Math.max(0, ...nearest))
  return confidence < NO_ANSWER_BELOW
    ? NOTHING
    : { ranked, lowConfidence: confidence < LOW_CONFIDENCE_BELOW }
}

/** The shipped vectors have thresholds of their own: see confidence.ts. */
function isNearOrNamed({ index, settings }: Ranking, { lexical, meaning }: Parts, at: number) {
  if (meaning === null || meaning.vectors !== index.dense) return true
  return cosineOf(meaning, at) >= settings.similarityFloor || (lexical[at] as number) > 0
}

/** Orders the first documents anew by score and soft coverage; `coverages` are those of the first in the new order. */
function rerank(
  { index, words, terms, asksForTool, settings }: Ranking,
  total: Float32Array,
  found: readonly number[],
): Readonly<{ ranked: readonly number[]; coverages: readonly number[] }> {
  const first = found.slice(0, RERANKED)
  const coverages = softCoverage(index, words, terms, first)
  const scored = first
    .map((at, i) => {
      const coverage = coverages[i] as number
      const isTool = index.documents[at]?.type === 'mcp'
      const score =
        (total[at] as number) +
        settings.coverageWeight * coverage +
        (asksForTool && isTool ? settings.toolBonus : 0)
      return { at, coverage, score }
    })
    .sort((a, b) => b.score - a.score || a.at - b.at)
  return {
    ranked: [...scored.map(({ at }) => at), ...found.slice(RERANKED)],
    coverages: scored.map(({ coverage }) => coverage),
  }
}

const highest = (scores: Float32Array): number => {
  let best = Number.NEGATIVE_INFINITY
  for (const score of scores) best = Math.max(best, score)
  return best
}
