import type { SearchDocument } from '../search-document.ts'
import { stemOf, subjectStemsOf } from '../text/stems.ts'

/** A searched field and how much a word in it counts beside one in another field. */
export type Field = Readonly<{ weight: number; text: (document: SearchDocument) => string }>

/** Weights measured on judged questions: docs/search.md. */
export const FIELDS: readonly Field[] = [
  { weight: 3, text: ({ name }) => name },
  { weight: 2, text: ({ path }) => path },
  { weight: 2, text: ({ tags }) => tags.join(' ') },
  { weight: 1.7, text: ({ description }) => description },
  { weight: 0.7, text: ({ schema }) => schema },
  { weight: 0.6, text: ({ host }) => host },
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

/** Stems of each field of a document, in the order of `FIELDS`. */
export const fieldStems = (document: SearchDocument): string[][] =>
  FIELDS.map(({ text }) => subjectStemsOf(text(document)))

/** The text that a document's vector stands for: what it is, and not where it is. */
export const describingText = ({ name, path, tags, description }: SearchDocument): string =>
  `${name} ${tags.join(' ')} ${description} ${path}`
