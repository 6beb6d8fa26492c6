import type { RankingSettings } from './settings.ts'

/** How well the best documents answer a question: `none` says that nothing in the catalog answers it. */
export type Confidence = 'none' | 'low' | 'usual'

const LOW_COVERAGE_BELOW = 0.5

/** `coverage` is the share of the question that the best documents cover. It is too rough to hold an answer back. */
export const confidenceOfCoverage = (coverage: number): Confidence =>
  coverage < LOW_COVERAGE_BELOW ? 'low' : 'usual'

/**
 * `best` is the highest score of the documents that meet the constraints, `bestOfAll` that of all documents: when it is
 * low, the catalog does not have what the question wants.
 */
export function confidenceOfScores(
  best: number,
  bestOfAll: number,
  settings: RankingSettings,
): Confidence {
  if (bestOfAll < settings.noAnswerBelow || keepsTooLittle(best, bestOfAll, settings)) return 'none'
  const isLow = best < settings.lowConfidenceBelow || best < settings.lowKept * bestOfAll
  return isLow ? 'low' : 'usual'
}

/** Whether what the question wants exists in the catalog, and not under its constraints: what meets them is something else. */
export const keepsTooLittle = (
  best: number,
  bestOfAll: number,
  { leastKept }: RankingSettings,
): boolean => best < leastKept * bestOfAll
