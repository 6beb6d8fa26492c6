import { itemKeyOf } from '../../../../src/catalog/items/item-key.ts'
import { exposeValidate, validateRoute } from '../../../../src/catalog/origin/validate-route.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { guardedFetcher } from '../../../../src/platform/http/guarded-fetch/guarded-fetch.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { patientValidator } from '../../../support/catalog/declarations.ts'
import { content, putListing } from '../../../support/catalog-listing.ts'
import type { Answer } from '../../../support/stack.ts'
import { openDiscovery } from '../../catalog/discovery-world.ts'

type RecordValue = (where: string, name: string, summary: string, value: unknown) => void
type RecordAnswer = (operation: string, name: string, summary: string, answer: Answer) => void

const weather = content('https://weather.example/forecast/:city', {
  description: 'Forecast of rain, wind and temperature for a city',
  mimeType: 'application/json',
  serviceName: 'Weather',
  tags: ['weather', 'forecast'],
  bazaar: {
    info: {
      input: { type: 'http', method: 'GET', pathParams: { city: 'Rome' } },
      output: { type: 'json', example: { rain: 0.2 } },
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { input: { type: 'object' } },
      required: ['input'],
    },
    routeTemplate: '/forecast/:city',
  },
})

/** The catalog's answers, and its refusals. */
export async function recordDiscovery(record: RecordAnswer): Promise<void> {
  await using world = await openDiscovery()
  const id = await putListing(world.store.db, { content: weather })
  await recordFacts(world.store.db)
  world.search.answer = {
    itemKeys: [itemKeyOf(weather)],
    method: 'hybrid',
    recognised: ['network=stellar:testnet', 'maxPrice=0.02 USD'],
    lowConfidence: false,
    partialResults: false,
    revision: 1,
  }
  const list = '/discovery/resources'
  record('listResources', 'one', 'One resource', await world.get(list))
  record(
    'listResources',
    'malformed',
    'A parameter is malformed',
    await world.ask(list, { limit: '0' }),
  )
  record('getListing', 'published', 'It is published', await world.get(`${list}/${id}`))
  record('getListing', 'unknown', 'There is no such listing', await world.get(`${list}/1`))
  const versions = await world.get(`${list}/${id}/versions`)
  record('getListingVersions', 'one', 'It has not changed yet', versions)
  const search = (query: Record<string, string>) => world.ask('/discovery/search', query)
  const query = 'rain in Rome for less than 2 cents on testnet'
  record('searchResources', 'one', 'One resource fits', await search({ query }))
  record('searchResources', 'blank', 'The query is blank', await search({ query: ' ' }))
  const forged = await search({ query, cursor: 'forged' })
  record('searchResources', 'cursor', 'The cursor is none of this search', forged)
  world.search.answer = undefined
  record('searchResources', 'building', 'The first index is being built', await search({ query }))
}

/** A dry run that reaches no server: its URL is refused before. */
export async function recordValidation(
  recordRequest: RecordValue,
  recordAnswer: RecordAnswer,
): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const server = opened.use(createHttpServer({ logger: createLogger({ level: 'error' }) }))
  const validator = opened.use(patientValidator())
  const fetcher = guardedFetcher()
  opened.defer(() => fetcher.close())
  const clock = systemClock
  exposeValidate(server.app, { fetcher, validator, rpcs: new Map(), clock, trustedProxyHops: 0 })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  const send = async (body: object): Promise<Answer> => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const response = await fetch(url + validateRoute.path, init)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const operation = validateRoute.id
  const atHome = { url: 'http://192.168.1.7/weather', method: 'GET' }
  recordRequest(`${operation} request`, 'url', 'A resource that a buyer calls with GET', atHome)
  recordAnswer(operation, 'refused', 'Its address is not public', await send(atHome))
  recordAnswer(operation, 'malformed', 'The URL is missing', await send({}))
}

async function recordFacts(db: Parameters<typeof putListing>[0]): Promise<void> {
  const [accepted] = weather.accepts
  if (!accepted) throw new Error('the resource has no payment option')
  const { network, asset, payTo } = accepted
  const checked = { checked_at: new Date(), due_at: new Date(), lease_until: null }
  await db
    .insertInto('asset_facts')
    .values({ network, asset, symbol: 'USDC', name: 'USD Coin', decimals: 7, ...checked })
    .execute()
  await db
    .insertInto('payee_facts')
    .values({ network, asset, pay_to: payTo, receivable: true, ...checked })
    .execute()
}
