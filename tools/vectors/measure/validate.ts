import { learn } from '../learn.ts'
import type { QuestionPair } from '../read-pairs.ts'
import type { Recipe } from '../recipe.ts'
import { split } from './held-out.ts'
import { recall } from './recall.ts'

const FIRST = 10

/** Learns without the held out pairs; returns lines that say how often those find their description. */
export function validate(
  pairs: readonly QuestionPair[],
  recipe: Recipe,
  report: (line: string) => void,
): readonly string[] {
  const { training, newTools, knownTools } = split(pairs)
  const descriptions = [...new Set(pairs.map(({ description }) => description))]
  const vectors = learn(training, recipe, report)
  const line = (name: string, questions: readonly QuestionPair[]): string => {
    const measured = recall(vectors, questions, descriptions, FIRST)
    return [
      `${questions.length} questions for ${name}:`,
      `${(100 * measured.recall).toFixed(1)} % find it among the first ${FIRST} of ${descriptions.length},`,
      `mean 1 / rank ${measured.reciprocalRank.toFixed(3)}`,
    ].join(' ')
  }
  return [
    line('a description that the training saw with other questions', knownTools),
    line('a description that the training did not see', newTools),
  ]
}
