import type { ListedText } from '../../items/listed-item.ts'
import { splitWords } from '../text/split-words.ts'
import { stemOf } from '../text/stems.ts'
import { QUESTION_WORDS, STOP_WORDS } from '../text/stop-words.ts'
import { encodeStems, normalise } from '../vectors/encode.ts'
import type { WordVectors } from '../vectors/format.ts'
import { FIELDS } from './fields.ts'

/** The part of one document that an index takes, whatever the other documents are. */
export type AnalysedDocument = Readonly<{
  /** Stems of each field, each once, in the order of `FIELDS`. */
  stems: readonly (readonly string[])[]
  /** How many times a word repeats another of the same field. */
  repetitions: number
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
  let repetitions = 0
  const isWithin = stemLimit(words)
  const stems = FIELDS.map(({ text, meaning }) => {
    const found = splitWords(text(document)).filter((word) => !STOP_WORDS.has(word))
    if (words && vector && meaning > 0) addMeaning(vector, words, found, meaning)
    const subjects = found.filter((word) => !QUESTION_WORDS.has(word)).map(stemOf)
    const once = [...new Set(subjects)]
    repetitions += subjects.length - once.length
    return once.filter(isWithin)
  })
  return { stems, repetitions, vector: vector && normalise(vector) }
}

/** Tells whether a stem is among those that the document may bring, counting them in the order in which it is asked. */
function stemLimit(words: WordVectors | null): (stem: string) => boolean {
  const kept = new Set<string>()
  let unknown = 0
  return (stem) => {
    if (kept.has(stem)) return true
    const isUnknown = words !== null && !words.ids.has(stem)
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
