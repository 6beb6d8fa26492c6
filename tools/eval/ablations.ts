import { RANKING, type RankingSettings } from '../../src/catalog/search/rank/settings.ts'

/** A search with parts of it turned off. */
export type Ablation = Readonly<{ name: string; useVectors: boolean; settings: RankingSettings }>

/** The search as the service runs it. */
export const FULL: Ablation = { name: 'full', useVectors: true, settings: RANKING }

/** The thresholds hold for the scores of the full search, so a search without a part of it always answers. */
const ANSWERING: RankingSettings = {
  ...RANKING,
  noAnswerBelow: { words: 0, sentence: 0 },
  leastKept: 0,
}

export const ABLATIONS: readonly Ablation[] = [
  FULL,
  { name: 'never empty', useVectors: true, settings: ANSWERING },
  { name: 'lexical only', useVectors: false, settings: ANSWERING },
  { name: 'vectors only', useVectors: true, settings: { ...ANSWERING, lexicalWeight: 0 } },
  { name: 'no typo rescue', useVectors: true, settings: { ...ANSWERING, rescueTypos: false } },
  { name: 'no feedback', useVectors: true, settings: { ...ANSWERING, feedbackWeight: 0 } },
  { name: 'no tail left out', useVectors: true, settings: { ...ANSWERING, tailKept: 0 } },
  { name: 'no soft coverage', useVectors: true, settings: { ...ANSWERING, coverageWeight: 0 } },
]
