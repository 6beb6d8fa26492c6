import { decimalPrice } from '../../filters/catalog-filters.ts'
import type { Price } from '../../filters/constraints.ts'
import { anyOf, END, type Groups } from './question.ts'

const NUMBERS: Readonly<Record<string, string>> = {
  a: '1',
  an: '1',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  twelve: '12',
  fifteen: '15',
  twenty: '20',
  'twenty-five': '25',
  thirty: '30',
  forty: '40',
  fifty: '50',
  hundred: '100',
}
const COINS: Readonly<Record<string, string>> = {
  penny: '0.01',
  nickel: '0.05',
  dime: '0.1',
  quarter: '0.25',
  buck: '1',
}
const PARTS: Readonly<Record<string, string>> = {
  half: '0.5',
  quarter: '0.25',
  fifth: '0.2',
  tenth: '0.1',
  hundredth: '0.01',
}

export const DIGITS = String.raw`\d+(?:[.,]\d+)*|\.\d+`
const NUMBER = `(?<number>${DIGITS}|${Object.keys(NUMBERS).join('|')})`
const CENT = String.raw`(?:u\.?s\.? )?(?:cents?|cts?|¢|c|pennies)`
const DOLLAR = String.raw`(?:u\.?s\.? )?(?:dollars?|usd|bucks?|\$)`
const EURO = 'euros?|eur|€'

/** Where money is written, and which price it is; the first that fits counts. */
const FORMS: readonly (readonly [
  string,
  (groups: Groups, symbols: ReadonlySet<string>) => Price | null,
])[] = [
  [
    `(?:an? |one )?(?<part>${Object.keys(PARTS).join('|')})(?: of)? (?:an? |one )?(?<unit>cent|dollar|buck)${END}`,
    ({ part = '', unit }) => usd(PARTS[part] ?? '0', unit === 'cent' ? 2 : 0),
  ],
  [
    `(?:an? |one )?(?<coin>${Object.keys(COINS).join('|')})${END}`,
    ({ coin = '' }) => usd(COINS[coin] ?? '0', 0),
  ],
  [String.raw`(?:us ?)?\$ ?(?<number>${DIGITS})`, ({ number = '' }) => usd(decimalOf(number), 0)],
  [
    `€ ?(?<number>${DIGITS})`,
    ({ number = '' }) => decimalPrice(decimalOf(number), { asset: 'EURC' }),
  ],
  [`${NUMBER} ?(?:${CENT})${END}`, ({ number = '' }) => usd(decimalOf(number), 2)],
  [`${NUMBER} ?(?:${DOLLAR})${END}`, ({ number = '' }) => usd(decimalOf(number), 0)],
  [
    `${NUMBER} ?(?:${EURO})${END}`,
    ({ number = '' }) => decimalPrice(decimalOf(number), { asset: 'EURC' }),
  ],
  [
    `${NUMBER} ?(?:lumens?)${END}`,
    ({ number = '' }) => decimalPrice(decimalOf(number), { asset: 'XLM' }),
  ],
  [
    `${NUMBER} ?(?:stroops?)${END}`,
    ({ number = '' }) => decimalPrice(decimalOf(number), { asset: 'XLM' }, 7),
  ],
  [
    `${NUMBER} ?(?:base units?|units?)${END}`,
    ({ number = '' }) => decimalPrice(decimalOf(number), 'base units'),
  ],
  [
    `${NUMBER} ?(?<symbol>[a-z0-9]{1,12})${END}`,
    ({ number = '', symbol = '' }, symbols) =>
      symbols.has(symbol.toUpperCase())
        ? decimalPrice(decimalOf(number), { asset: symbol.toUpperCase() })
        : null,
  ],
]
const PATTERNS = FORMS.map(([form, priceOf]) => ({
  pattern: new RegExp(`^${form}`, 'iu'),
  priceOf,
}))

/** Any amount of money, to be matched inside of a larger pattern; `readPrice` says what it is worth. */
export const MONEY = anyOf(...FORMS.slice(0, -1).map(([form]) => form.replace(/\(\?<\w+>/g, '(?:')))

/**
 * The price at the beginning of a text, and how many characters it takes: `2 cents`, `$0.05`, `half a dollar`, `a
 * penny`, `0.3 eurc` (when the symbol is one of `symbols`), `5000 base units`.
 */
export function readPrice(
  text: string,
  symbols: ReadonlySet<string>,
): Readonly<{ price: Price; length: number }> | null {
  for (const { pattern, priceOf } of PATTERNS) {
    const match = pattern.exec(text)
    if (match && isTooLong(match.groups?.['number'])) return null
    const price = match && priceOf(lowerCase(match.groups ?? {}), symbols)
    if (match && price) return { price, length: match[0].length }
  }
  return null
}

const lowerCase = (groups: Groups): Groups =>
  Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, value?.toLowerCase()]))

const usd = (decimal: string, extraScale: number): Price => decimalPrice(decimal, 'USD', extraScale)

/** No price is longer; to compare one of hundreds of digits with every option takes long. */
const MAX_NUMBER = 40

export const isTooLong = (number: string | undefined): boolean =>
  number !== undefined && number.length > MAX_NUMBER

/** A number in words or digits as a decimal. A comma before three last digits separates thousands: `5,000`. */
export function decimalOf(number: string): string {
  const word = NUMBERS[number]
  if (word !== undefined) return word
  if (/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(number)) return number.replaceAll(',', '')
  const [whole = '', ...rest] = number.replaceAll(',', '.').split('.')
  return `${whole || '0'}.${rest.join('')}`
}
