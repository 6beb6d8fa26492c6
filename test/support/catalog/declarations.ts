import type { RawDeclaration } from '../../../src/catalog/listing.ts'
import { openValidator } from '../../../src/catalog/validation/open-validator.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'

/** Addresses with a checksum; nobody holds their keys. */
export const SELLER = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'
/** An account of the seller with an id (SEP-23). */
export const MUXED_SELLER = 'MBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLEAAAAAAAAAAAA6KE4'
export const USDC = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA'

export const subject = { network: 'stellar:testnet', payTo: SELLER } as const

/** Requirements of a payment of 0.01 USDC to the seller. */
export const requirements = (overrides: object = {}) => ({
  scheme: 'exact',
  network: subject.network,
  asset: USDC,
  payTo: SELLER,
  amount: '100000',
  maxTimeoutSeconds: 60,
  extra: { areFeesSponsored: true },
  ...overrides,
})

/** What the stock server declares for a GET with a query. */
export const httpBazaar = (overrides: object = {}) => ({
  info: { input: { type: 'http', method: 'GET', queryParams: { city: 'Lima' } } },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      input: {
        type: 'object',
        properties: {
          type: { type: 'string', const: 'http' },
          method: { type: 'string', enum: ['GET'] },
          queryParams: { type: 'object', properties: { city: { type: 'string' } } },
        },
        required: ['type', 'method'],
        additionalProperties: true,
      },
    },
    required: ['input'],
  },
  ...overrides,
})

export const mcpBazaar = (overrides: object = {}) => ({
  info: {
    input: { type: 'mcp', toolName: 'forecast', inputSchema: { type: 'object' }, ...overrides },
  },
  schema: { type: 'object', properties: { input: { type: 'object' } }, required: ['input'] },
})

export const rawDeclaration = (overrides: Partial<RawDeclaration> = {}): RawDeclaration => ({
  resource: { url: 'https://api.example.com/weather?city=Lima' },
  bazaar: httpBazaar(),
  extensionKeys: ['bazaar'],
  accepts: [requirements()],
  ...overrides,
})

/** A validator whose time limit no busy machine reaches. */
export const patientValidator = ({ allowLoopback = false, queueLength = 1_000 } = {}) =>
  openValidator({ clock: systemClock, allowLoopback, queueLength, timeLimitMs: 20_000 })

/** A document of so many levels. */
export const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}
