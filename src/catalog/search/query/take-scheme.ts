import { anyOf, END, MAYBE_NOT, type Question, START, takeAll, withConstraint } from './question.ts'

const LEAD = anyOf('on|in|for|via|over|by|at|with|using|the|a|an|metered|billed|charged|paid|sold')
const SCHEME = new RegExp(
  `${MAYBE_NOT}(?:${START}(?:${LEAD} )+)?${START}${anyOf(
    '(?<name>exact|upto|up-to) (?:payment )?(?:scheme|payments?)',
    '(?:payment )?scheme:? (?<other>exact|upto|up-to)',
    // One word, and no price behind it, which was taken before: it is the name of the scheme.
    '(?<bare>upto)',
  )}${END}(?: only${END})?`,
  'giu',
)

/** Reads the payment scheme: `exact` or `upto`. */
export const takeScheme = (question: Question): Question =>
  takeAll(question, SCHEME, (known, { not, name, other, bare }) =>
    withConstraint(
      known,
      not === undefined ? 'schemes' : 'exceptSchemes',
      (name ?? other ?? bare ?? '').toLowerCase().replace('-', ''),
    ),
  )
