import { expect, test } from 'vitest'
import { explorerClient, facilitatorClient } from '../../../../src/package/client.ts'
import { openApiDocument } from '../../../../src/service/openapi/document.ts'
import { explorerDocument } from '../../../../src/service/openapi/explorer-document.ts'

/* What the methods ask, compared with what the OpenAPI documents describe. */

const G = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'

type Call = (client: {
  readonly facilitator: ReturnType<typeof facilitatorClient>
  readonly explorer: ReturnType<typeof explorerClient>
}) => Promise<unknown>

interface Row {
  readonly route: string
  readonly call: Call
  /** @default that of the route */
  readonly asks?: string
}

const ofFacilitator: readonly Row[] = [
  { route: 'GET /supported', call: ({ facilitator }) => facilitator.supported() },
  {
    route: 'GET /discovery/resources',
    call: ({ facilitator }) =>
      facilitator.resources({ extensions: ['bazaar', 'upto'], limit: 5, network: undefined }),
    asks: 'GET /discovery/resources?extensions=bazaar%2Cupto&limit=5',
  },
  {
    route: 'GET /discovery/resources/{id}',
    call: ({ facilitator }) => facilitator.listing('../a b'),
    asks: 'GET /discovery/resources/..%2Fa%20b',
  },
  {
    route: 'GET /discovery/resources/{id}/versions',
    call: ({ facilitator }) => facilitator.versions('1'),
    asks: 'GET /discovery/resources/1/versions',
  },
  {
    route: 'GET /discovery/search',
    call: ({ facilitator }) => facilitator.search({ query: 'a&b', maxPrice: '0.05' }),
    asks: 'GET /discovery/search?query=a%26b&maxPrice=0.05',
  },
  {
    route: 'POST /discovery/validate',
    call: ({ facilitator }) => facilitator.validate({ url: 'https://a.example' }),
    asks: 'POST /discovery/validate {"url":"https://a.example"}',
  },
  { route: 'GET /usage', call: ({ facilitator }) => facilitator.usage() },
  {
    route: 'GET /usage/statement',
    call: ({ facilitator }) => facilitator.statement('2026-11'),
    asks: 'GET /usage/statement?month=2026-11',
  },
  { route: 'GET /health', call: ({ facilitator }) => facilitator.health() },
]

const ofExplorer: readonly Row[] = [
  { route: 'GET /feed', call: ({ explorer }) => explorer.feed() },
  {
    route: 'GET /tx/{hash}',
    call: ({ explorer }) => explorer.payment('ab'),
    asks: 'GET /tx/ab',
  },
  {
    route: 'GET /sellers',
    call: ({ explorer }) => explorer.sellers({ registered: true, window: '7d' }),
    asks: 'GET /sellers?registered=true&window=7d',
  },
  {
    route: 'GET /seller/{payTo}',
    call: ({ explorer }) => explorer.seller(G, { network: 'stellar:testnet' }),
    asks: `GET /seller/${G}?network=stellar%3Atestnet`,
  },
  { route: 'GET /stats', call: ({ explorer }) => explorer.stats() },
  { route: 'GET /ecosystem', call: ({ explorer }) => explorer.ecosystem({}) },
  {
    route: 'GET /ecosystem/timeseries',
    call: ({ explorer }) => explorer.timeseries({ days: 7, seller: G }),
    asks: `GET /ecosystem/timeseries?days=7&seller=${G}`,
  },
  { route: 'GET /facilitators', call: ({ explorer }) => explorer.facilitators() },
  {
    route: 'GET /facilitator/{id}',
    call: ({ explorer }) => explorer.facilitator('own'),
    asks: 'GET /facilitator/own',
  },
  {
    route: 'GET /asset/{contract}',
    call: ({ explorer }) => explorer.asset('C1'),
    asks: 'GET /asset/C1',
  },
  { route: 'GET /health', call: ({ explorer }) => explorer.health() },
]

test.each([...ofFacilitator, ...ofExplorer])('$route is asked for', async (row) => {
  const { call, route, asks = route } = row
  const asked: string[] = []
  const options = {
    url: 'https://services.example/base/',
    fetch: async (url: unknown, { method = 'GET', body }: RequestInit = {}) => {
      const path = String(url).replace('https://services.example/base', '')
      asked.push([method, path, body].filter((each) => each !== undefined).join(' '))
      return Response.json({ answer: 1 })
    },
  }
  const client = { facilitator: facilitatorClient(options), explorer: explorerClient(options) }
  expect(await call(client)).toEqual({ answer: 1 })
  expect(asked).toEqual([asks])
})

/** What the client leaves out: payments, what explorers ask of facilitators, and what is for machines of the cluster. */
const others = [
  ...['POST /verify', 'POST /settle', 'POST /announce'],
  'GET /supported/proofs',
  ...['GET /', 'GET /ready', 'GET /metrics', 'GET /openapi.json'],
]

test.each([
  { of: 'a facilitator', document: openApiDocument('dev'), rows: ofFacilitator },
  { of: 'an explorer', document: explorerDocument('dev'), rows: ofExplorer },
])('every route of $of that is for reading has a method', ({ document, rows }) => {
  const { paths } = document as { readonly paths: Readonly<Record<string, object>> }
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(rows.map(({ route }) => route).toSorted()).toEqual(
    routes.filter((route) => !others.includes(route)).toSorted(),
  )
})

test('a search needs words', () => {
  const { search } = facilitatorClient({ url: 'https://services.example' })
  // @ts-expect-error: `query` is required, and so is the object with it
  const withoutWords = () => search()
  expect(withoutWords).toBeTypeOf('function')
})
