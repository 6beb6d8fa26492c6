import { type Constraints, NO_CONSTRAINTS } from '../../filters/constraints.ts'

/** A question, read: the constraints that its words name, and the words that are left. */
export type Question = Readonly<{
  constraints: Constraints
  rest: string
  /** Whether the question asks for "a tool", which an agent calls: MCP tools fit it a little better. */
  asksForTool: boolean
}>

/** Each is compared with every option of the catalog; no question means more. */
const MAX_VALUES = 8

/** Adds a value to one of the lists of a question's constraints, once; a ninth value is left out. */
export const withConstraint = <Name extends keyof Constraints>(
  question: Question,
  name: Name,
  value: Constraints[Name][number],
): Question => {
  const values: readonly unknown[] = question.constraints[name]
  if (values.includes(value) || values.length === MAX_VALUES) return question
  return {
    ...question,
    constraints: { ...question.constraints, [name]: [...values, value] },
  }
}

/** Twice a query: some characters stand for a word or a sentence when they are decomposed. */
const MAX_LENGTH = 1_000

/** A question of which nothing is understood yet; diacritics are dropped, as they are in the index. */
export const unreadQuestion = (query: string): Question => ({
  constraints: NO_CONSTRAINTS,
  rest: query
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .slice(0, MAX_LENGTH)
    .toWellFormed()
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, ' ')
    .trim(),
  asksForTool: false,
})

/** The named groups of a match. */
export type Groups = Readonly<Record<string, string | undefined>>

/**
 * Takes each match of a pattern out of the words of a question. `read` returns the question with what the match means,
 * or null when it means nothing: then the words stay.
 */
export function takeAll(
  question: Question,
  pattern: RegExp,
  read: (question: Question, groups: Groups) => Question | null,
): Question {
  let state = question
  const rest = question.rest.replace(pattern, (...match) => {
    const understood = read(state, (match.at(-1) ?? {}) as Groups)
    if (understood === null) return match[0] as string
    state = understood
    return ' '
  })
  return { ...state, rest: rest.replace(/\s+/g, ' ').trim() }
}

/** A pattern that matches any of some alternatives, which are themselves patterns. */
export const anyOf = (...alternatives: readonly string[]): string => `(?:${alternatives.join('|')})`

// "testnet", "MCP" and "USDC" are the same words in other languages: their negations there, unread, would mean the opposite.
const NEGATIONS = anyOf(
  'not|no|never|without|except(?: for)?|excluding|other than|instead of|rather than|anything but|non',
  'nicht|kein(?:e[nmrs]?)?|ohne|ausser|statt|pas|sans|sauf|hors|sin|excepto|salvo',
)
const AFTER_NEGATION = anyOf(
  'on|in|an?|any|the|via|with|as|by|using',
  'auf|im|uber|mit|als|sur|le|la|en|de|avec|par|el|con',
)
/** "Not" in front of a name; the group `not` tells whether it was there. */
export const NOT = `(?<not>(?:but )?${NEGATIONS}(?: ${AFTER_NEGATION})* )`
export const MAYBE_NOT = `${NOT}?`

/** No letter or digit before, and none behind. */
export const START = String.raw`(?<![\p{L}\p{N}])`
export const END = String.raw`(?![\p{L}\p{N}])`
