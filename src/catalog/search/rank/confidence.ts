import type { QuestionForm } from '../query/query-terms.ts'
import type { RankingSettings } from './settings.ts'

/** How well the best documents answer a question: `none` says that nothing in the catalog answers it. */
export type Confidence = 'none' | 'low' | 'usual'

const LOW_COVERAGE_BELOW = 0.5

/** `coverage` is the share of the question that the best documents cover. It is too rough to hold an answer back. */
export const confidenceOfCoverage = (coverage: number): Confidence =>
  coverage < LOW_COVERAGE_BELOW ? 'low' : 'usual'

/** What the catalog has for a question, constraints or not. */
export type Evidence = Readonly<{
  form: QuestionForm
  /** The highest score. */
  best: number
  /** The shares of the question's words, by rarity, that the best documents have themselves, and have or come near to. */
  met: number
  coverage: number
}>

const COVERAGE_WEIGHT = 0.3
const ALL_MET = 0.99

/** A document that has every word of a question answers it, whatever its score. */
const sizeOf = ({ best, met, coverage }: Evidence): number =>
  met >= ALL_MET ? Number.POSITIVE_INFINITY : best + COVERAGE_WEIGHT * (met + coverage)

/**
 * `best` is the highest score of the documents that meet the constraints, `all` what the whole catalog has: when it is
 * low, the catalog does not have what the question wants.
 */
export function confidenceOfScores(
  best: number,
  all: Evidence,
  settings: RankingSettings,
): Confidence {
  const size = sizeOf(all)
  const isNothing = size < settings.noAnswerBelow[all.form]
  if (isNothing || keepsTooLittle(best, all.best, settings)) return 'none'
  const isLow = size < settings.lowConfidenceBelow[all.form] || best < settings.lowKept * all.best
  return isLow ? 'low' : 'usual'
}

/** Whether what the question wants exists in the catalog, and not under its constraints: what meets them is something else. */
export const keepsTooLittle = (
  best: number,
  bestOfAll: number,
  { leastKept }: RankingSettings,
): boolean => best < leastKept * bestOfAll
