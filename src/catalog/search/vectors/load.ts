import { readFile } from 'node:fs/promises'
import { readWordVectors, type WordVectors } from './format.ts'

/** The word vectors that ship with the project. */
const WORDS = new URL('./words.bin', import.meta.url)

/** Reads the word vectors; null when the file is missing or unreadable, so that search compares words only. */
export async function loadWordVectors(file: URL | string = WORDS): Promise<WordVectors | null> {
  try {
    return readWordVectors(await readFile(file))
  } catch {
    return null
  }
}
