import { expect, test } from 'vitest'
import {
  type CatalogFilters,
  constraintsOf,
} from '../../../../src/catalog/filters/catalog-filters.ts'
import { NO_CONSTRAINTS } from '../../../../src/catalog/filters/constraints.ts'
import { type FilterableListing, filterOf } from '../../../../src/catalog/filters/filter.ts'

const option = {
  scheme: 'exact',
  payTo: 'MUXED',
  account: 'GSELLER',
  asset: 'CASSET',
  amount: 20_000n,
  symbol: 'EURC',
  decimals: 7,
}
const listing = (changes: Partial<FilterableListing> = {}): FilterableListing => ({
  kind: 'http',
  network: 'stellar:testnet',
  trust: 'origin_verified',
  extensions: ['bazaar'],
  options: [option, { ...option, scheme: 'upto', amount: 90_000n, symbol: null, decimals: null }],
  ...changes,
})
const placesWith = (filters: CatalogFilters, of = listing()): readonly number[] =>
  filterOf(constraintsOf(filters)).placesIn(of)

test.each<[CatalogFilters, readonly number[]]>([
  [{}, [0, 1]],
  [{ type: 'http', network: 'stellar:testnet', extensions: ['bazaar'] }, [0, 1]],
  [{ type: 'mcp' }, []],
  [{ network: 'stellar:pubnet' }, []],
  [{ extensions: ['bazaar', 'other'] }, []],
  [{ scheme: 'upto' }, [1]],
  [{ payTo: 'GSELLER' }, [0, 1]],
  [{ payTo: 'MUXED' }, [0, 1]],
  [{ payTo: 'GOTHER' }, []],
  [{ asset: 'CASSET' }, [0, 1]],
  [{ asset: 'eurc' }, [0]],
  [{ asset: 'CASSET', maxPrice: '0.002' }, [0]],
  [{ asset: 'CASSET', maxPrice: '0.0019' }, []],
  [{ scheme: 'upto', asset: 'eurc' }, []],
  [{ trust: 'settled' }, [0, 1]],
  [{ trust: 'origin_verified' }, [0, 1]],
  [{ trust: 'domain_verified' }, []],
  [{ trust: 'no_such_level' }, []],
  // An asset that is not Circle's has no price in dollars.
  [{ maxPrice: '5' }, []],
])('%j lets the options %j through', (filters, places) => {
  expect(placesWith(filters)).toEqual(places)
  expect(filterOf(constraintsOf(filters)).meets(listing())).toBe(places.length > 0)
})

test('all filters hold for one and the same listing of a resource', () => {
  const listings = [
    listing({ extensions: ['bazaar', 'payment-identifier'] }),
    listing({ network: 'stellar:pubnet' }),
  ]
  const matches = (filters: CatalogFilters) => filterOf(constraintsOf(filters)).matches(listings)
  expect(matches({ network: 'stellar:pubnet' })).toBe(true)
  expect(matches({ extensions: ['payment-identifier'] })).toBe(true)
  expect(matches({ network: 'stellar:pubnet', extensions: ['payment-identifier'] })).toBe(false)
})

test('a resource of every network has an option that meets the rest on each', () => {
  const { matches } = filterOf({
    ...NO_CONSTRAINTS,
    everyNetwork: ['stellar:testnet', 'stellar:pubnet'],
    schemes: ['upto'],
  })
  const onPubnet = listing({ network: 'stellar:pubnet' })
  expect(matches([listing(), onPubnet])).toBe(true)
  expect(matches([listing()])).toBe(false)
  expect(matches([listing(), { ...onPubnet, options: [option] }])).toBe(false)
})
