import { factsOfScheme, schemeNames } from '../../../payments/protocol/schemes.ts'
import { anyOf, END, MAYBE_NOT, type Question, START, takeAll, withConstraint } from './question.ts'

const LEAD = anyOf('on|in|for|via|over|by|at|with|using|the|a|an|metered|billed|charged|paid|sold')
const SPELLINGS = schemeNames.flatMap((name) => factsOfScheme(name).spellings).join('|')
const OWN_WORDS = schemeNames.filter((name) => factsOfScheme(name).isOwnWord).join('|')
const SCHEME = new RegExp(
  `${MAYBE_NOT}(?:${START}(?:${LEAD} )+)?${START}${anyOf(
    `(?<name>${SPELLINGS}) (?:payment )?(?:scheme|payments?)`,
    `(?:payment )?scheme:? (?<other>${SPELLINGS})`,
    // One word, and no price behind it, which was taken before: it is the name of the scheme.
    `(?<bare>${OWN_WORDS})`,
  )}${END}(?: only${END})?`,
  'giu',
)

/** Reads the payment scheme. */
export const takeScheme = (question: Question): Question =>
  takeAll(question, SCHEME, (known, { not, name, other, bare }) =>
    withConstraint(
      known,
      not === undefined ? 'schemes' : 'exceptSchemes',
      schemeSpelled(name ?? other ?? bare ?? ''),
    ),
  )

const schemeSpelled = (text: string): string =>
  schemeNames.find((name) => factsOfScheme(name).spellings.includes(text.toLowerCase())) ?? text
