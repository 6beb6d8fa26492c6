import { createHash } from 'node:crypto'
import type { QuestionPair } from '../read-pairs.ts'

/** Pairs to learn from, and questions that the training does not see, to measure it. */
export type Split = Readonly<{
  training: readonly QuestionPair[]
  /** Questions whose description the training does not see either: what a new listing meets. */
  newTools: readonly QuestionPair[]
  /** Questions whose description the training sees with other questions. */
  knownTools: readonly QuestionPair[]
}>

/** Holds out a tenth of the descriptions and a tenth of the rest's questions, by their hash: more pairs move none. */
export function split(pairs: readonly QuestionPair[]): Split {
  const newTools = pairs.filter(({ description }) => isHeldOut(description))
  const others = pairs.filter(({ description }) => !isHeldOut(description))
  return {
    training: others.filter(({ question }) => !isHeldOut(question)),
    newTools,
    knownTools: others.filter(({ question }) => isHeldOut(question)),
  }
}

function isHeldOut(text: string): boolean {
  return createHash('sha256').update(text).digest().readUInt32LE(0) % 10 === 0
}
