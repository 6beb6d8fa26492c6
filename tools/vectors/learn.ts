import type { WordVectors } from '../../src/catalog/search/vectors/format.ts'
import { quantise } from './quantise.ts'
import { seededRandom } from './random.ts'
import type { QuestionPair } from './read-pairs.ts'
import { RECIPE } from './recipe.ts'
import { sourcesWith } from './sources.ts'
import { train } from './train.ts'
import { encodeSources, vocabularyOf } from './vocabulary.ts'

const SEED = 7

/** Learns word vectors from WordNet and these questions by the recipe; the same questions give the same vectors. */
export function learn(
  questions: readonly QuestionPair[],
  report: (line: string) => void,
): WordVectors {
  const sources = sourcesWith(questions)
  const vocabulary = vocabularyOf(sources, RECIPE.maxStems)
  const encoded = encodeSources(sources, vocabulary)
  const encoder = train(vocabulary, encoded, RECIPE, seededRandom(SEED), report)
  return quantise(encoder, vocabulary, encoded)
}
