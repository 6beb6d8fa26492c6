import type { ListedText } from '../../items/listed-item.ts'
import { stemOf } from '../text/stems.ts'

/** A searched field. */
type Field = Readonly<{
  text: (text: ListedText) => string
  /** How much a word in it counts beside one in another field, when words are compared. */
  weight: number
  /** How much the field's meaning counts in the document's vector. */
  meaning: number
  /** Whether a seller writes it to be found: only there do repeated words cost (search-index.ts). */
  isPromotional: boolean
}>

/** Weights measured on judged questions: docs/search.md. */
export const FIELDS: readonly Field[] = [
  { text: ({ name }) => name, weight: 3, meaning: 0.8, isPromotional: true },
  { text: ({ path }) => path, weight: 2, meaning: 0.5, isPromotional: false },
  { text: ({ tags }) => tags.join(' '), weight: 2, meaning: 1, isPromotional: true },
  { text: ({ description }) => description, weight: 1.7, meaning: 1.5, isPromotional: true },
  { text: ({ schema }) => schema, weight: 0.7, meaning: 0.5, isPromotional: false },
  { text: ({ host }) => host, weight: 0.6, meaning: 0, isPromotional: false },
]

/** Words that most listings carry, whatever they sell: they count for little. */
const COMMON = new Set(
  [
    'api',
    'tool',
    'service',
    'endpoint',
    'agent',
    'data',
    'json',
    'request',
    'response',
    'query',
    'call',
    'return',
  ].map(stemOf),
)
const COMMON_WEIGHT = 0.15

/** How much a stem of a question counts because of the stem alone. */
export const weightOfStem = (stem: string): number => (COMMON.has(stem) ? COMMON_WEIGHT : 1)
