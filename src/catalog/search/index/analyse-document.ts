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
 * Reads a document. Its vector is the sum of its fields' unit vectors, so that a long description does not drown name
 * and tags.
 */
export function analyseDocument(document: ListedText, words: WordVectors | null): AnalysedDocument {
  const vector = words && new Float32Array(words.dimensions)
  let repetitions = 0
  const stems = FIELDS.map(({ text, meaning }) => {
    const found = splitWords(text(document)).filter((word) => !STOP_WORDS.has(word))
    if (words && vector && meaning > 0) addMeaning(vector, words, found, meaning)
    const subjects = found.filter((word) => !QUESTION_WORDS.has(word)).map(stemOf)
    const once = [...new Set(subjects)]
    repetitions += subjects.length - once.length
    return once
  })
  return { stems, repetitions, vector: vector && normalise(vector) }
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
