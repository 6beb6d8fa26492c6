import type { Price } from './constraints.ts'
import { decimalPrice } from './filters.ts'

const NUMBER_WORDS: Readonly<Record<string, bigint>> = {
  a: 1n,
  an: 1n,
  one: 1n,
  two: 2n,
  three: 3n,
  four: 4n,
  five: 5n,
  six: 6n,
  seven: 7n,
  eight: 8n,
  nine: 9n,
  ten: 10n,
  twelve: 12n,
  fifteen: 15n,
  twenty: 20n,
  thirty: 30n,
  fifty: 50n,
  hundred: 100n,
}
const COINS: Readonly<Record<string, bigint>> = { penny: 1n, nickel: 5n, dime: 10n, quarter: 25n }
const FRACTIONS: Readonly<Record<string, bigint>> = {
  half: 5n,
  'a tenth of': 1n,
  'one tenth of': 1n,
}

const number = String.raw`\d+(?:[.,]\d+)?|\.\d+|${Object.keys(NUMBER_WORDS).join('|')}`
const DOLLARS = String.raw`dollars?|usd|bucks?|us dollars?`
const CENTS = String.raw`cents?|ct|cts|¢|pennies|us cents?`

const PATTERNS: readonly [
  RegExp,
  (groups: Record<string, string>, symbols: readonly string[]) => Price | null,
][] = [
  [
    /^(?<part>half|a tenth of|one tenth of)(?: of)? (?:an? |one )?(?<unit>cent|dollar|buck)\b/,
    ({ part = '', unit = '' }) => usd(FRACTIONS[part] ?? 0n, unit === 'cent' ? 3 : 1),
  ],
  [
    new RegExp(String.raw`^(?:an? |one )?(?<coin>${Object.keys(COINS).join('|')})\b`),
    ({ coin = '' }) => usd(COINS[coin] ?? 0n, 2),
  ],
  [/^(?:us ?)?\$ ?(?<amount>\d+(?:[.,]\d+)?|\.\d+)/, ({ amount = '' }) => scaled(amount, 0, 'USD')],
  [
    new RegExp(String.raw`^(?<amount>${number}) ?(?:${CENTS})(?![a-z])`),
    ({ amount = '' }) => scaled(amount, 2, 'USD'),
  ],
  [
    new RegExp(String.raw`^(?<amount>${number}) ?(?:${DOLLARS})(?![a-z])`),
    ({ amount = '' }) => scaled(amount, 0, 'USD'),
  ],
  [
    /^(?<amount>\d+) ?(?:base units?|units?)\b/,
    ({ amount = '' }) => scaled(amount, 0, 'base units'),
  ],
  [
    new RegExp(String.raw`^(?<amount>${number}) ?(?<symbol>[a-z0-9]{1,12})\b`),
    ({ amount = '', symbol = '' }, symbols) =>
      symbols.includes(symbol.toUpperCase())
        ? scaled(amount, 0, { asset: symbol.toUpperCase() })
        : null,
  ],
]

/**
 * The price at the beginning of a text in lower case, and how many characters it takes: `2 cents`, `$0.05`, `half a
 * dollar`, `a penny`, `0.3 eurc` (when the symbol is one of `symbols`), `5000 base units`.
 */
export function readPrice(
  text: string,
  symbols: readonly string[],
): { price: Price; length: number } | null {
  for (const [pattern, priceOf] of PATTERNS) {
    const match = pattern.exec(text)
    const price = match && priceOf(match.groups ?? {}, symbols)
    if (match && price) return { price, length: match[0].length }
  }
  return null
}

const usd = (value: bigint, scale: number): Price => ({ value, scale, unit: 'USD' })

function scaled(amount: string, extraScale: number, unit: Price['unit']): Price {
  const word = NUMBER_WORDS[amount]
  if (word !== undefined) return { value: word, scale: extraScale, unit }
  return decimalPrice(amount.replace(',', '.'), unit, extraScale)
}
