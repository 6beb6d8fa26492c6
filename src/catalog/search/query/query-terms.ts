import { weightOfStem } from '../index/fields.ts'
import type { SearchIndex } from '../index/search-index.ts'
import { termOf, wordOf } from '../index/term-table.ts'
import { type Comparisons, MAX_COMPARISONS, nearestTerm } from '../index/typo-index.ts'
import { splitWords } from '../text/split-words.ts'
import { stemOf } from '../text/stems.ts'
import { QUESTION_WORDS, STOP_WORDS } from '../text/stop-words.ts'
import { hasVector, type WordVectors } from '../vectors/format.ts'

/** A word of a question that says what is wanted. */
export type Subject = Readonly<{
  stem: string
  /** Its number in the index; undefined when no document holds it. */
  term: number | undefined
  weight: number
}>

/** The words of a question, misspellings put right. */
export type QueryTerms = Readonly<{
  /** The stems of the words of the question, each once. */
  subjects: readonly Subject[]
  /** All stems, words that ask included: what the vector of the question is made of. */
  all: readonly string[]
  form: QuestionForm
}>

/** A few bare words name a thing, so a listing that sells it has them; a sentence may share no word with its answer. */
export type QuestionForm = 'words' | 'sentence'

const MAX_BARE_WORDS = 4
const ASCII = /^[\x20-\x7e]*$/

const CORRECTED_WEIGHT = 0.8

/**
 * A question that has more unknown words than this is of a language that no listing uses, or wants to keep the process busy. They share
 * `MAX_COMPARISONS`.
 */
const MAX_RESCUED = 12

/** A question of 500 characters could have a hundred words, each compared with all listings. Those of the evaluation have at most 30. */
const MAX_STEMS = 40

/**
 * A stem that neither the index nor the word vectors know is taken as a misspelling of the nearest indexed one, unless
 * `rescueTypos` is false; only the first twelve are. A word that corrects to a stop word is dropped.
 */
export function queryTerms(
  text: string,
  index: SearchIndex,
  words: WordVectors | null,
  rescueTypos: boolean,
): QueryTerms {
  const subjects = new Map<string, Subject>()
  const all: string[] = []
  const rescued = new Map<string, Subject>()
  const comparisons = { left: MAX_COMPARISONS }
  let isBare = true
  for (const word of splitWords(text)) {
    // The words that only link others are known in English alone.
    if (!ASCII.test(word)) isBare = false
    if (all.length === MAX_STEMS) break
    if (STOP_WORDS.has(word)) {
      isBare = false
      continue
    }
    const stem = stemOf(word)
    if (QUESTION_WORDS.has(word)) {
      isBare = false
      all.push(stem)
      continue
    }
    const isKnown = termOf(index.text.terms, stem) !== undefined || hasVector(words, stem)
    const mayRescue = rescueTypos && !isKnown && rescued.size < MAX_RESCUED
    const subject = rescued.get(stem) ?? subjectOf(stem, index, mayRescue && comparisons)
    if (mayRescue) rescued.set(stem, subject)
    if (subject.term === undefined && !hasVector(words, stem) && isNearStopWord(word)) continue
    all.push(subject.stem)
    const known = subjects.get(subject.stem)
    if (known === undefined || known.weight < subject.weight) subjects.set(subject.stem, subject)
  }
  const form = isBare && subjects.size <= MAX_BARE_WORDS ? 'words' : 'sentence'
  return { subjects: [...subjects.values()], all, form }
}

/** @param comparisons false: the word is taken as it is */
function subjectOf(stem: string, index: SearchIndex, comparisons: Comparisons | false): Subject {
  const { terms } = index.text
  const meant =
    comparisons &&
    nearestTerm(index.typos, terms, stem, (near) => holders(index, near), comparisons)
  if (meant === false || meant === undefined) {
    return { stem, term: termOf(terms, stem), weight: weightOfStem(stem) }
  }
  const corrected = wordOf(terms, meant)
  return { stem: corrected, term: meant, weight: weightOfStem(corrected) * CORRECTED_WEIGHT }
}

const holders = ({ text }: SearchIndex, term: number): number =>
  (text.starts[term + 1] as number) - (text.starts[term] as number)

const isNearStopWord = (word: string): boolean =>
  word.length < 7 && lettersOfStopWords.has(sortedLetters(word))

const sortedLetters = (word: string): string => [...word].sort().join('')

const lettersOfStopWords: ReadonlySet<string> = new Set(
  [...STOP_WORDS].filter((stop) => stop.length > 3).map(sortedLetters),
)
