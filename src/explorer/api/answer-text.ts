import { createHash } from 'node:crypto'

export interface AnswerText {
  readonly text: string
  /** Weak: the encodings of an answer differ in bytes and not in meaning. */
  readonly tag: string
}

/** Answers that several callers share are written once. */
const texts = new WeakMap<object, AnswerText>()

const TAG_LENGTH = 22

/** An answer as it is sent. It must not change any more. */
export function textOf(answer: object): AnswerText {
  const known = texts.get(answer)
  if (known) return known
  const text = JSON.stringify(answer)
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, TAG_LENGTH)
  const made = { text, tag: `W/"${digest}"` }
  texts.set(answer, made)
  return made
}
