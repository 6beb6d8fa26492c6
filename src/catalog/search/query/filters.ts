import { type Constraints, NO_CONSTRAINTS, type Price } from './constraints.ts'

/** The parameters of a search beside its query; the caller has checked their formats. */
export type SearchFilters = Readonly<{
  type?: string
  /** A `G...` address also matches muxed addresses on it. */
  payTo?: string
  scheme?: string
  network?: string
  extensions?: readonly string[]
  /** Contract, or symbol in any case. */
  asset?: string
  /** Decimal; in units of `asset` if that is given, else in US dollars. */
  maxPrice?: string
}>

export const constraintsOfFilters = (filters: SearchFilters): Constraints => ({
  ...NO_CONSTRAINTS,
  types: listOf(filters.type),
  payTos: listOf(filters.payTo),
  schemes: listOf(filters.scheme),
  networks: listOf(filters.network),
  extensions: filters.extensions ?? [],
  assets: listOf(filters.asset),
  maxPrices: listOf(filters.maxPrice).map((price) =>
    decimalPrice(price, filters.asset === undefined ? 'USD' : { asset: filters.asset }),
  ),
})

const listOf = (value: string | undefined): readonly string[] =>
  value === undefined ? [] : [value]

/** A decimal number as a price ceiling; `extraScale` more digits go behind the point. */
export function decimalPrice(decimal: string, unit: Price['unit'], extraScale = 0): Price {
  const [whole = '', part = ''] = decimal.split('.')
  return { value: BigInt(`${whole}${part}` || '0'), scale: part.length + extraScale, unit }
}
