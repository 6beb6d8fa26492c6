import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ListedItem } from '../../src/catalog/items/listed-item.ts'
import { type NetworkId, usdcContracts } from '../../src/platform/core/caip2.ts'
import { itemOfFlat } from './flat-item.ts'

/** A listing of the evaluation set, a line of `listings/*.jsonl`. */
export interface Listing {
  id: string
  type: 'http' | 'mcp'
  name: string
  host: string
  path: string
  tags: string[]
  description: string
  schema: string
  options: {
    network: NetworkId
    scheme: string
    symbol: string
    decimals: number
    amount: string
  }[]
}

/** The halves of every class: ranking is tuned on the first one, and reported on both. */
export const SPLITS = ['tune', 'held'] as const
type Split = (typeof SPLITS)[number]

/** A judged query, a line of `queries.jsonl`: grades 3 to 1 by listing. */
export interface Query {
  id: string
  class: string
  split: Split
  query: string
  relevant: Record<string, number>
  why?: 'constraint'
}

const folder = import.meta.dirname

export const readListings = (): Listing[] =>
  readdirSync(join(folder, 'listings'))
    .sort()
    .flatMap((file) => readLines<Listing>(join(folder, 'listings', file)))

export const readQueries = (): Query[] => readLines<Query>(join(folder, 'queries.jsonl'))

const readLines = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

/** A listing as the search sees it. USDC gets its real contract, since prices in dollars compare that one only. */
export const documentOf = ({ options, ...listing }: Listing): ListedItem =>
  itemOfFlat({
    ...listing,
    options: options.map(({ network, scheme, symbol, decimals, amount }) => ({
      network,
      scheme,
      symbol,
      decimals,
      payTo: `${listing.host} is paid here`,
      asset: symbol === 'USDC' ? usdcContracts[network] : symbol,
      amount: BigInt(amount),
    })),
  })
