import type { ClassicContract, TokenMetadata } from './token-contract.ts'

/** Classic asset codes have 12 characters at most, and `CODE:ISSUER` 69; a token's author can write anything. */
const MAX_SYMBOL = 32
const MAX_NAME = 100
/** With 39 digits no amount of 128 bits has a unit. */
const MAX_DECIMALS = 38

/** Null: the contract does not say, or says what is not shown. */
interface TokenFacts {
  readonly symbol: string | null
  readonly name: string | null
  readonly decimals: number | null
}

/**
 * Facts to show of what a token says about itself. A text that is too long, empty or more than printable ASCII is
 * left out, not shortened: a changed text could be the name of another token.
 */
export const assetFactsOf = ({ symbol, name, decimals }: TokenMetadata): TokenFacts => ({
  symbol: shownText(symbol, MAX_SYMBOL),
  name: shownText(name, MAX_NAME),
  decimals: decimals !== undefined && decimals <= MAX_DECIMALS ? Number(decimals) : null,
})

/** Every classic asset has 7 decimals, lumens too. */
export const CLASSIC_DECIMALS = 7

/** What the contract of a classic asset says of itself, by its entry in the ledger. */
export const classicFactsOf = (contract: ClassicContract): TokenFacts => ({
  ...(contract.kind === 'native'
    ? { symbol: 'native', name: 'native' }
    : { symbol: contract.code, name: `${contract.code}:${contract.issuer}` }),
  decimals: CLASSIC_DECIMALS,
})

function shownText(text: string | undefined, max: number): string | null {
  const isShown = text !== undefined && text.length <= max && /^[!-~](?:[ -~]*[!-~])?$/.test(text)
  return isShown ? text : null
}
