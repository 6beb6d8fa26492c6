import { newStemmer } from 'snowball-stemmers'
import { splitWords } from './split-words.ts'
import { STOP_WORDS } from './stop-words.ts'

const MAX_REMEMBERED = 100_000
const MAX_LETTERS = 40

const stemmer = newStemmer('english')
const remembered = new Map<string, string>()

/** The Snowball (Porter 2) stem of a word in lower case. */
export function stemOf(word: string): string {
  const known = remembered.get(word)
  if (known !== undefined) return known
  const stem = word.length > MAX_LETTERS ? word.slice(0, MAX_LETTERS) : stemmer.stem(word)
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(word, stem)
  return stem
}

/** Stems of a text in their order, without stop words. */
export function stemsOf(text: string): string[] {
  return splitWords(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stemOf)
}
