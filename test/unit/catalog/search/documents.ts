import type {
  SearchDocument,
  SearchOption,
} from '../../../../src/catalog/search/search-document.ts'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'

/** An option paid in USDC on testnet. */
const option = (changes: Partial<SearchOption> = {}): SearchOption => ({
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
export const listing = (changes: Partial<SearchDocument> & { id: string }): SearchDocument => ({
  type: 'http',
  name: changes.id,
  host: 'seller.example',
  path: '/',
  tags: [],
  description: '',
  schema: '',
  extensions: ['bazaar'],
  options: [option()],
  ...changes,
})

/** A small catalog of different subjects. */
export const CATALOG: readonly SearchDocument[] = [
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
