import { type Constraints, NO_CONSTRAINTS, type Price } from './constraints.ts'

/** The filters that a request names. The caller has checked their formats; an absent one lets everything through. */
export interface CatalogFilters {
  readonly type?: string | undefined
  /** A `G...` address also matches muxed addresses on it. */
  readonly payTo?: string | undefined
  readonly scheme?: string | undefined
  /** CAIP-2. */
  readonly network?: string | undefined
  /** Keys of extensions that a listing declares, each of them. */
  readonly extensions?: readonly string[] | undefined
  /** Contract, or symbol in any case. */
  readonly asset?: string | undefined
  /** Decimal; in units of `asset` if that is given, else in US dollars. */
  readonly maxPrice?: string | undefined
  /** The least trust of a listing. */
  readonly trust?: string | undefined
}

export const constraintsOf = (filters: CatalogFilters): Constraints => ({
  ...NO_CONSTRAINTS,
  types: listOf(filters.type),
  payTos: listOf(filters.payTo),
  schemes: listOf(filters.scheme),
  networks: listOf(filters.network),
  extensions: filters.extensions ?? [],
  leastTrust: listOf(filters.trust),
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
