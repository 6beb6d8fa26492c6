import { sql } from 'kysely'
import type { ListingContent } from '../../../src/catalog/listing.ts'
import { lockListing } from '../../../src/catalog/store/listings.ts'
import { changeListing } from '../../../src/catalog/store/write-listing.ts'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Db } from '../../../src/platform/database/schema.ts'
import { content, option, putListing } from '../catalog-listing.ts'
import type { Market } from './believable-market.ts'

const string = (description: string) => ({ type: 'string', description })

/** Declarations as stock servers make them, by the place of the service. */
const declarations = [
  {
    method: 'GET',
    input: { queryParams: { lat: 53.55, lon: 9.99, hours: 24 } },
    parts: {
      queryParams: {
        type: 'object',
        properties: {
          lat: { type: 'number', description: 'Latitude in degrees' },
          lon: { type: 'number', description: 'Longitude in degrees' },
          hours: { type: 'integer', description: 'Hours ahead', default: 24 },
          units: { type: 'string', enum: ['metric', 'imperial'] },
        },
        required: ['lat', 'lon'],
      },
    },
    example: { place: 'Hamburg', hours: [{ at: '2026-11-20T15:00:00Z', rain: 0.2, wind: 14 }] },
    output: {
      type: 'object',
      properties: {
        place: string('The nearest place'),
        hours: {
          type: 'array',
          description: 'One entry an hour',
          items: {
            type: 'object',
            properties: {
              at: { type: 'string', format: 'date-time' },
              rain: { type: 'number', description: 'Millimetres' },
              wind: { type: 'number', description: 'Kilometres an hour' },
            },
          },
        },
      },
    },
  },
  {
    method: 'POST',
    input: { bodyType: 'json', body: { image: 'https://example.com/label.jpg', language: 'de' } },
    parts: {
      body: {
        type: 'object',
        properties: {
          image: { type: 'string', format: 'uri', description: 'Where the photo is' },
          language: string('Language of the label'),
        },
        required: ['image'],
      },
    },
    example: { lines: ['Parcel 4711'], confidence: 0.98 },
    output: { type: 'object', properties: { lines: { type: 'array', items: { type: 'string' } } } },
  },
] as const

function contentOf(
  service: Market['services'][number],
  at: number,
  amount: string,
): ListingContent {
  const { method, input, parts, example, output } = declarations[at % declarations.length]!
  const isTool = at % 5 === 4
  const info = isTool
    ? {
        input: {
          type: 'mcp',
          toolName: 'lookup',
          transport: 'streamable-http',
          inputSchema: { type: 'object', properties: { text: string('What to look up') } },
          example: { text: 'euro' },
        },
        output: { example: { rate: 1.08 } },
      }
    : { input: { type: 'http', method, ...input }, output: { type: 'json', example } }
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      input: { type: 'object', properties: { type: { const: 'http' }, ...parts } },
      ...(!isTool && {
        output: { type: 'object', properties: { type: { type: 'string' }, example: output } },
      }),
    },
    required: ['input'],
  }
  const { payTo, serviceName, resource, description } = service
  return content(resource, {
    ...(isTool ? { kind: 'mcp', toolName: 'lookup' } : { method }),
    serviceName,
    description,
    bazaar: { info, schema },
    accepts: [
      option({ payTo, amount }),
      ...(at % 3 === 0 ? [option({ payTo, amount: '9000000', scheme: 'upto' })] : []),
    ],
  })
}

/**
 * A listing for each service of a market with a resource of its own, for which the catalog has recorded the payments to its seller. The first one has changed its price.
 *
 * @returns their ids, in the order of the services
 */
export async function seedCatalog(db: Db, market: Market): Promise<readonly string[]> {
  const ids: string[] = []
  await sql`insert into asset_facts (network, asset, symbol, name, decimals, checked_at, due_at)
    values (${market.network}, ${usdcContracts[market.network]}, 'USDC', 'USD Coin', 7, now(), now())`.execute(
    db,
  )
  const services = [...new Map(market.services.map((each) => [each.resource, each])).values()]
  for (const [at, service] of services.entries()) {
    const paid = market.payments.filter(({ seller }) => seller === service.payTo)
    const last = paid.at(-1)?.closedAt ?? 0
    const id = await putListing(db, {
      content: contentOf(service, at, String(100_000 * (at + 1))),
      trust: (['domain_verified', 'origin_verified', 'settled'] as const)[at % 3]!,
      settlements: paid.length,
      firstPublishedAt: new Date(((paid[0]?.closedAt ?? last) + at) * 1_000),
    })
    ids.push(id)
    await sql`insert into catalog_outcomes (settlement_id, network, payer, nonce, pay_to, transaction, status, code, listing_id, dropped, at)
      select row_number() over () + ${at * 100_000}::integer, ${market.network}, 'payer', hash, ${service.payTo}, hash, 'success',
        'recorded', ${id}::uuid, '{}', to_timestamp(closed)
      from unnest(${paid.map(({ txHash }) => txHash)}::text[],
        ${paid.map(({ closedAt }) => closedAt)}::double precision[]) paid (hash, closed)`.execute(
      db,
    )
    await sql`update listings set last_settled_at = to_timestamp(${last}::double precision),
      updated_at = first_cataloged_at where id = ${id}`.execute(db)
  }
  const [first] = ids
  const [service] = services
  if (first !== undefined && service) await changePrice(db, first, service)
  return ids
}

async function changePrice(db: Db, id: string, service: Market['services'][number]): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const listing = await lockListing(transaction, id)
    if (!listing) throw new Error('no such listing')
    await changeListing(transaction, listing, {
      cause: 'origin_verification',
      content: contentOf(service, 0, '200000'),
      ownerAccount: service.payTo,
    })
  })
}
