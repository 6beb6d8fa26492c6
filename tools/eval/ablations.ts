import { RANKING, type RankingSettings } from '../../src/catalog/search/rank/settings.ts'

/** A search with parts of it turned off. */
export type Ablation = Readonly<{ name: string; useVectors: boolean; settings: RankingSettings }>

/** The search as the service runs it. */
export const FULL: Ablation = { name: 'full', useVectors: true, settings: RANKING }

export const ABLATIONS: readonly Ablation[] = [
  FULL,
  { name: 'lexical only', useVectors: false, settings: RANKING },
  { name: 'vectors only', useVectors: true, settings: { ...RANKING, lexicalWeight: 0 } },
  { name: 'no typo rescue', useVectors: true, settings: { ...RANKING, rescueTypos: false } },
  { name: 'no feedback', useVectors: true, settings: { ...RANKING, feedbackWeight: 0 } },
  { name: 'no soft coverage', useVectors: true, settings: { ...RANKING, coverageWeight: 0 } },
]
