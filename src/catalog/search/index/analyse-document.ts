import type { ListedText } from '../../items/listed-item.ts'
import { splitWords } from '../text/split-words.ts'
import { stemOf } from '../text/stems.ts'
import { QUESTION_WORDS, STOP_WORDS } from '../text/stop-words.ts'
import { encodeStems, normalise } from '../vectors/encode.ts'
import { hasVector, type WordVectors } from '../vectors/format.ts'
import { FIELDS } from './fields.ts'

/** The part of one document that an index takes, whatever the other documents are. */
export type AnalysedDocument = Readonly<{
  /** Stems of each field, each once, in the order of `FIELDS`. */
  stems: readonly (readonly string[])[]
  /** How many words of name, tags and description are repeated more often than a text of their length repeats a word. */
  excess: number
  /** Unit vector; null without word vectors, zeros when no word of the document has one. */
  vector: Float32Array | null
}>

/**
 * The most stems that a document brings into the index, and how many of them may be no words: names, abbreviations and other
 * languages. Of the listings of the evaluation none has more than 37, and 16 (docs/search.md); what a listing has beyond four times that
 * is there to fill the index. Without word vectors every stem counts as a word.
 */
const MAX_STEMS = 150
const MAX_UNKNOWN_STEMS = 64

/**
 * Reads a document. Its vector is the sum of its fields' unit vectors, so that a long description does not drown name
 * and tags.
 */
export function analyseDocument(document: ListedText, words: WordVectors | null): AnalysedDocument {
  const vector = words && new Float32Array(words.dimensions)
  let excess = 0
  const isWithin = stemLimit(words)
  const stems = FIELDS.map(({ text, meaning, isPromotional }) => {
    const found = splitWords(text(document)).filter((word) => !STOP_WORDS.has(word))
    if (words && vector && meaning > 0) addMeaning(vector, words, found, meaning)
    const subjects = found.filter((word) => !QUESTION_WORDS.has(word)).map(stemOf)
    if (isPromotional) excess += excessOf(subjects)
    return [...new Set(subjects)].filter(isWithin)
  })
  return { stems, excess, vector: vector && normalise(vector) }
}

/**
 * An honest text names its subject again: three times in a line, more often in a longer text. Measured on declarations that are shaped
 * like real ones: docs/search.md.
 */
const FREE_USES = 3
const WORDS_PER_USE = 20

/** How many words of a text of one field are there only to repeat another. */
function excessOf(subjects: readonly string[]): number {
  const allowed = FREE_USES + Math.floor(subjects.length / WORDS_PER_USE)
  const uses = new Map<string, number>()
  for (const subject of subjects) uses.set(subject, (uses.get(subject) ?? 0) + 1)
  let excess = 0
  for (const count of uses.values()) excess += Math.max(0, count - allowed)
  return excess
}

/** Tells whether a stem is among those that the document may bring, counting them in the order in which it is asked. */
function stemLimit(words: WordVectors | null): (stem: string) => boolean {
  const kept = new Set<string>()
  let unknown = 0
  return (stem) => {
    if (kept.has(stem)) return true
    const isUnknown = words !== null && !hasVector(words, stem)
    if (kept.size >= MAX_STEMS || (isUnknown && unknown >= MAX_UNKNOWN_STEMS)) return false
    kept.add(stem)
    if (isUnknown) unknown += 1
    return true
  }
}

function addMeaning(
  sum: Float32Array,
  words: WordVectors,
  found: readonly string[],
  meaning: number,
): void {
  const unit = encodeStems(words, new Set(found.map(stemOf)), 'description')
  if (unit === null) return
  for (let d = 0; d < sum.length; d += 1)
    sum[d] = (sum[d] as number) + meaning * (unit[d] as number)
}
