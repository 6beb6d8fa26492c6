import type { DocumentVectors, SearchIndex } from '../index/search-index.ts'
import type { QueryTerms } from '../query/query-terms.ts'
import type { WordVectors } from '../vectors/format.ts'
import {
  type Confidence,
  confidenceOfCoverage,
  confidenceOfScores,
  type Evidence,
  keepsTooLittle,
} from './confidence.ts'
import { cosineOf } from './nearness.ts'
import { type Parts, scoreParts, totalScores } from './score-documents.ts'
import type { RankingSettings } from './settings.ts'
import { exactCoverage, softCoverage } from './soft-coverage.ts'
import { topOf } from './top.ts'

/** Most documents that an answer ranks. */
export const MAX_RANKED = 200
const RERANKED = 30
const CONFIDENCE_COVERAGES = 3

/** The facts of the question that a ranking uses. */
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
  const near = topOf(total, MAX_RANKED).filter(
    (at) => (total[at] as number) > 0 && isNearOrNamed(ranking, parts, at),
  )
  const best = near[0]
  if (best === undefined) return NOTHING
  const least = settings.tailKept * (total[best] as number)
  const found = parts.meaning === null ? near : near.filter((at) => (total[at] as number) >= least)
  const { ranked, coverages } = rerank(ranking, total, found)
  const coverage = Math.max(0, ...coverages.slice(0, CONFIDENCE_COVERAGES))
  const confidence = confidenceOf(ranking, parts, total, near, isCandidate, coverage)
  return confidence === 'none' ? NOTHING : { ranked, lowConfidence: confidence === 'low' }
}

function confidenceOf(
  ranking: Ranking,
  parts: Parts,
  total: Float32Array,
  near: readonly number[],
  isCandidate: Uint8Array,
  coverage: number,
): Confidence {
  if (parts.meaning === null) return confidenceOfCoverage(coverage)
  const { settings, index } = ranking
  const isEverything = isCandidate.every((value) => value === 1)
  const ofAll = isEverything ? total : totalOfAll(ranking, parts)
  // Sorting the scores of 20,000 listings takes two milliseconds, so those that are sorted serve again.
  const first = isEverything ? near.slice(0, EVIDENCE_FROM) : topOf(ofAll, EVIDENCE_FROM)
  const all = evidenceOf(ranking, ofAll, first)
  const best = total[near[0] ?? 0] ?? 0
  if (parts.meaning.vectors !== index.dense) return confidenceOfScores(best, all, settings)
  // The threshold of a high score was measured with the shipped vectors; the share of it that is left depends less on them.
  return keepsTooLittle(best, all.best, settings) ? 'none' : confidenceOfCoverage(coverage)
}

/** The scores whatever the constraints. */
const totalOfAll = ({ index, settings }: Ranking, parts: Parts): Float32Array =>
  totalScores(index, parts, new Uint8Array(index.documents.length).fill(1), settings)

const EVIDENCE_FROM = 4

function evidenceOf(
  { index, words, terms, asksForTool }: Ranking,
  total: Float32Array,
  first: readonly number[],
): Evidence {
  return {
    // An agent that asks for a tool says what it wants done, in words of its own.
    form: asksForTool ? 'sentence' : terms.form,
    best: total[first[0] ?? 0] ?? 0,
    met: Math.max(0, ...exactCoverage(index, terms, first)),
    coverage: Math.max(0, ...softCoverage(index, words, terms, first)),
  }
}

/** The shipped vectors have thresholds of their own: see confidence.ts. */
function isNearOrNamed({ index, settings }: Ranking, { lexical, meaning }: Parts, at: number) {
  if (meaning === null || meaning.vectors !== index.dense) return true
  return cosineOf(meaning, at) >= settings.similarityFloor || (lexical[at] as number) > 0
}

/** Orders the first documents again by score and soft coverage; `coverages` are those of the first in the new order. */
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
      const isTool = index.documents[at]?.kind === 'mcp'
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
