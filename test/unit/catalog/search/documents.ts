import type { ListedItem } from '../../../../src/catalog/items/listed-item.ts'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'
import { type FlatItem, itemOfFlat } from '../../../../tools/eval/flat-item.ts'

type Option = FlatItem['options'][number]

/** An option paid in USDC on testnet. */
const option = (changes: Partial<Option> = {}): Option => ({
  network: 'stellar:testnet',
  scheme: 'exact',
  payTo: 'GSELLER',
  asset: usdcContracts['stellar:testnet'],
  symbol: 'USDC',
  decimals: 7,
  amount: 10_000n,
  ...changes,
})

/** A listing that sells nothing in particular. */
export const listing = (changes: Partial<FlatItem> & { id: string }): ListedItem =>
  itemOfFlat({
    type: 'http',
    name: changes.id,
    host: 'seller.example',
    path: '/',
    tags: [],
    description: '',
    schema: '',
    options: [option()],
    ...changes,
  })

/** A small catalog of different subjects. */
export const CATALOG: readonly ListedItem[] = [
  listing({
    id: 'weather',
    name: 'WeatherNow',
    path: '/v1/forecast',
    description: 'Hourly weather forecast for any place',
  }),
  listing({ id: 'translate', type: 'mcp', name: 'translate_text', description: 'Translates text' }),
  listing({ id: 'geocode', description: 'Coordinates of a street address' }),
  listing({
    id: 'invoice',
    description: 'Extracts totals from an invoice',
    options: [option({ amount: 500_000n, network: 'stellar:pubnet' })],
  }),
  listing({ id: 'thumbnail', description: 'Resizes an image to a thumbnail' }),
]
