import {
  anyOf,
  END,
  MAYBE_NOT,
  NOT,
  type Question,
  START,
  takeAll,
  withConstraint,
} from './question.ts'

/** Assets that people name in words or in any case. */
const NAMES: Readonly<Record<string, string>> = {
  usdc: 'USDC',
  dollars: 'USDC',
  'us dollars': 'USDC',
  eurc: 'EURC',
  euros: 'EURC',
  euro: 'EURC',
  xlm: 'XLM',
  lumens: 'XLM',
  lumen: 'XLM',
}
/** Names that are assets wherever they stand; a dollar is also something to convert. */
const COINS = new Set(['usdc', 'eurc', 'xlm', 'lumens', 'lumen'])

const PAY = anyOf(
  `(?:(?:to be|that(?: is)?|which(?: is)?|can be|must be|we|i) )?(?:paid|pay(?:able|ing|ments?|s)?|priced|settl(?:ed|es?|ing)|charg(?:ed|es?|ing)|billed|accept(?:s|ing|ed)?|takes?|taking)`,
)
const BY = anyOf('in|with|by|using|via|for')
const ONLY = anyOf('only|just')
const HOLD = anyOf('hold|have|own|got|carry')

/** Symbols are matched in upper case alone: a listing may name its asset FOR. */
const ANY_SYMBOL = '[A-Z0-9]{1,12}'
const ANY = anyOf(...Object.keys(NAMES).map(anyCase), ANY_SYMBOL)
const COIN = anyOf(...[...COINS].map(anyCase), ANY_SYMBOL)
const NETWORK = anyCase('testnet|pubnet|mainnet')
const PATTERNS = [
  `${START}${anyCase(MAYBE_NOT)}${anyCase(PAY)}(?: ${anyCase(ONLY)})?(?: ${anyCase(BY)})?(?: ${anyCase(ONLY)})? (?<name>${ANY})${END}(?: ${anyCase(ONLY)}${END})?`,
  `${START}(?:${anyCase('we|i|it|they')} )?(?:${anyCase(ONLY)} ${anyCase(HOLD)}|${anyCase(HOLD)} ${anyCase(ONLY)}) (?<name>${ANY})${END}`,
  `${START}${anyCase(ONLY)} (?:${anyCase(BY)} )?(?<name>${COIN})${END}`,
  `${START}(?<name>${COIN}) (?:${anyCase('is |are ')})?${anyCase(anyOf('accepted|only|payments?'))}${END}`,
  // A coin beside a network, or as a clause of its own, is how to pay.
  `(?<=${NETWORK} )(?:${anyCase(BY)} )?(?<name>${COIN})${END}`,
  `${START}(?:${anyCase(BY)} )?(?<name>${COIN})(?= (?:${anyCase('on')} )?${NETWORK})`,
  `(?<=, ?)(?:${anyCase('and|but|please')} )?${anyCase(MAYBE_NOT)}(?:${anyCase(BY)} )?(?<name>${COIN})(?=$|,|;|\\.)`,
  `${START}${anyCase(NOT)}(?<name>${COIN})${END}`,
].map((pattern) => new RegExp(pattern, 'gu'))

/** Reads which assets are accepted or refused: `paid in EURC`, `XLM accepted`, `not in USDC`, `we only hold lumens`. */
export const takeAsset = (question: Question, symbols: ReadonlySet<string>): Question =>
  PATTERNS.reduce(
    (state, pattern) =>
      takeAll(state, pattern, (known, { not, name = '' }) => {
        const asset = NAMES[name.toLowerCase()] ?? name
        if (!symbols.has(asset)) return null
        return withConstraint(known, not === undefined ? 'assets' : 'exceptAssets', asset)
      }),
    question,
  )

/**
 * The pattern for letters of either case, beside others that must be in upper case. Node 22 has no `(?i:...)`. The start
 * of a group and an escape stay as they are.
 */
function anyCase(pattern: string): string {
  const each = /(?<syntax>\(\?(?:<\w+>|:)|\\.)|\[(?<set>[a-z]+)\]|[a-z]/g
  const either = pattern.replace(each, (found, syntax?: string, set?: string) => {
    if (syntax !== undefined) return found
    const letters = set ?? found
    return `[${letters}${letters.toUpperCase()}]`
  })
  return `(?:${either})`
}
