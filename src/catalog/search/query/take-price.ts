import { decimalPrice } from '../../filters/catalog-filters.ts'
import { anyOf, END, type Question, START, takeAll, withConstraint } from './question.ts'
import { DIGITS, decimalOf, isTooLong, MONEY, readPrice } from './read-price.ts'

/** Words before the most that a call may cost. */
const BEFORE = anyOf(
  `under|below|less than|cheaper than|lower than|(?:for )?at most|(?:no|not|never) more than|not? (?:over|above)|not exceeding`,
  `no higher than|up ?to|within|max(?:imum)?(?: of| price(?: is| of)?)?|budget(?: of| is)?|for only|for less than`,
  String.raw`(?:should|must|may|can|do|does|would)(?: ?n[o']t|not) (?:\p{L}+ ){0,2}(?:more than|over|above|exceed)|(?:can't|cannot) (?:\p{L}+ ){0,2}more than`,
)
/** Words that lead to such a limit and add nothing to it. */
const LEAD = anyOf(
  `(?:it |that |which |and |but )*(?:should |must |may |can |to )*(?:costs?|costing|priced?|pay(?:ing)?|charg(?:es?|ing)|is|be|for|at)`,
)
const CEILING = new RegExp(`${START}(?:${LEAD} )*(?:${BEFORE}[: ] ?|<=? ?|≤ ?)`, 'giu')
/** Words behind a price that make it a limit, without a word before it. */
const BEHIND = anyOf(`or (?:less|under|below|cheaper)|at (?:the )?most|max(?:imum)?|tops`)
const EACH = anyOf(
  `(?:each|every)(?: time| call| request)?|(?:per|a|for each|for every) (?:call|request|query|use|time|page|image)`,
)
const CEILED = new RegExp(
  `${START}(?:${LEAD} )*(?<money>${MONEY})(?: ${EACH})?,? ${BEHIND}${END}`,
  'iu',
)
const AFTER = new RegExp(`^(?:,? (?:${BEHIND}|${EACH})${END})+`, 'iu')
const UNITLESS = new RegExp(
  `${START}(?:and )?${anyOf(
    `(?:${BEFORE}) (?<ofIt>${DIGITS}) of (?:it|that|those|them)`,
    `max(?:imum)?[ _]?price(?: of| is)?[:=]? ?(?<named>${DIGITS})`,
    // A part of one that ends the question: few other limits look so.
    String.raw`(?:${LEAD} )*(?:${BEFORE}[: ] ?|<=? ?|≤ ?)(?<bare>0?[.,]\d+)(?: ${EACH})?(?=[,.!?]*$)`,
  )}${END}`,
  'giu',
)
/** A price for a night or a month is the subject's, and not that of a call. */
const NOT_A_CALL = /^ (?:a|an|per|each) (?:night|day|week|month|year|hour|person|head)\b/iu

/** What is free of people, and not of charge: rooms, seats, names. */
const VACANT = anyOf(
  'rooms?|beds?|seats?|tables?|slots?|spots?|spaces?|places?|parking|plugs?|charg(?:ers?|ing)|appointments?|domains?|names?|bikes?|docks?',
  'times?|days?|dates?|speech|texts?|style|form|trade|agents?|falls?|kicks?|from|of (?!charge|cost)',
)
const FREE = new RegExp(
  `${START}${anyOf(
    '(?:for |completely |totally )?free of (?:charge|cost)',
    '(?:for|available for|completely|totally) free',
    '(?:at|for|with) no (?:cost|charge)',
    'without (?:paying|cost|charge)',
    '(?:that |which )?costs? nothing|for nothing',
    'gratis|kostenlos',
    '(?<!(?:is|are) )free(?=[,.!?]*$)',
    `(?<=^)(?:(?:an?|the|any) )?free (?!${VACANT}${END})`,
    `free (?=(?:apis?|tools?|services?|endpoints?|resources?)${END})`,
  )}(?=$|[^\\p{L}]|(?<= ))`,
  'giu',
)

/** Reads that a call may cost nothing: "free" of charge, where the word does not say that a room or a name is vacant. */
export const takeFree = (question: Question): Question =>
  takeAll(question, FREE, (known) =>
    withConstraint(known, 'maxPrices', decimalPrice('0', 'base units')),
  )

/** Reads the most that a call may cost. `symbols` are the assets that a price can be in, in upper case. */
export function takePrice(question: Question, symbols: ReadonlySet<string>): Question {
  const { rest } = question
  for (const match of rest.matchAll(CEILING)) {
    const end = match.index + match[0].length
    const found = readPrice(rest.slice(end), symbols)
    const behind = found && rest.slice(end + found.length)
    if (!found || NOT_A_CALL.test(behind ?? '')) continue
    return without(
      withConstraint(question, 'maxPrices', found.price),
      match.index,
      end + found.length,
    )
  }
  const match = CEILED.exec(rest)
  const money = match?.groups?.['money']
  const found = money === undefined ? null : readPrice(money, symbols)
  return match && found
    ? without(
        withConstraint(question, 'maxPrices', found.price),
        match.index,
        match.index + match[0].length,
      )
    : question
}

/**
 * Reads a ceiling whose unit was named before: `only EURC and at most 0.5 of it`; and `max price 0.02` and `under 0.05`, in dollars
 * where the question names no asset.
 */
export function takeUnitlessPrice(question: Question): Question {
  const [asset] = question.constraints.assets
  return takeAll(question, UNITLESS, (known, { ofIt, named, bare }) => {
    const number = ofIt ?? named ?? bare ?? ''
    if (isTooLong(number)) return null
    const unit = asset === undefined ? 'USD' : { asset }
    return withConstraint(known, 'maxPrices', decimalPrice(decimalOf(number), unit))
  })
}

function without(question: Question, from: number, to: number): Question {
  const before = question.rest.slice(0, from)
  const after = question.rest.slice(to).replace(AFTER, '')
  return { ...question, rest: `${before} ${after}`.replace(/\s+/g, ' ').trim() }
}
