import {
  type BazaarDeclaration,
  declareHttp,
  declareTool,
  validateDeclaration,
} from 'stellar-x402/bazaar'
import { describe, expect, it } from 'vitest'

const payTo = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'
const option = {
  scheme: 'exact',
  network: 'stellar:testnet',
  asset: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
  amount: '100000',
  payTo,
  maxTimeoutSeconds: 60,
}

/** The 402 response of a stock server whose route has the declaration. */
const offer = (extensions: object, members: object = {}) => ({
  x402Version: 2,
  resource: { url: 'https://api.example.com/weather?city=Oslo', description: 'The weather' },
  accepts: [option],
  extensions,
  ...members,
})

const weather = declareHttp({
  method: 'GET',
  query: {
    example: { city: 'Oslo' },
    schema: { properties: { city: { type: 'string' } }, required: ['city'] },
  },
  output: { example: { weather: 'sunny' } },
})

describe('a declaration that this makes', () => {
  it.each<{ of: string; made: BazaarDeclaration; listed: object }>([
    {
      of: 'a query',
      made: weather,
      listed: { kind: 'http', method: 'GET', resource: 'https://api.example.com/weather' },
    },
    {
      of: 'nothing but a method',
      made: declareHttp({ method: 'DELETE' }),
      listed: { method: 'DELETE' },
    },
    {
      of: 'a body',
      made: declareHttp({
        method: 'POST',
        body: { example: { text: 'hi' }, schema: { type: 'object', required: ['text'] } },
      }),
      listed: { kind: 'http', method: 'POST' },
    },
    {
      of: 'a path with a variable part',
      made: declareHttp({ method: 'GET', routeTemplate: '/weather/:city' }),
      listed: { resource: 'https://api.example.com/weather/:city' },
    },
    {
      of: 'a tool',
      made: declareTool({
        toolName: 'forecast',
        inputSchema: { type: 'object', properties: { days: { type: 'number' } } },
        transport: 'streamable-http',
        example: { days: 3 },
      }),
      listed: { kind: 'mcp', toolName: 'forecast' },
    },
  ])('is listed: of $of', async ({ made, listed }) => {
    expect(await validateDeclaration(offer(made))).toMatchObject({
      ok: true,
      listings: [{ ...listed, accepts: [option] }],
      dropped: [],
    })
  })
})

describe('validateDeclaration', () => {
  const broken = structuredClone(weather)
  Object.assign(Object(broken.bazaar.info['input']), { queryParams: { town: 'Oslo' } })

  it.each<{ when: string; given: unknown; code: string }>([
    { when: 'an example breaks its own schema', given: offer(broken), code: 'bazaar_info_invalid' },
    { when: 'nothing is declared', given: offer({}), code: 'bazaar_extension_malformed' },
    {
      when: 'no option is on Stellar',
      given: offer(weather, { accepts: [] }),
      code: 'bazaar_extension_malformed',
    },
    {
      when: 'the version is another',
      given: offer(weather, { x402Version: 1 }),
      code: 'bazaar_unsupported_version',
    },
    {
      when: 'the resource is on this machine',
      given: offer(weather, { resource: { url: 'http://127.0.0.1:4021/weather' } }),
      code: 'bazaar_resource_unsafe',
    },
    {
      when: 'the schema leads elsewhere',
      given: offer({ bazaar: { ...weather.bazaar, schema: { $ref: 'https://example.com/s' } } }),
      code: 'bazaar_schema_external_reference',
    },
    { when: 'it is nothing at all', given: undefined, code: 'bazaar_extension_malformed' },
  ])('refuses when $when', async ({ given, code }) => {
    expect(await validateDeclaration(given)).toMatchObject({ ok: false, code })
  })

  it('lists a resource on this machine for tests', async () => {
    const local = offer(weather, { resource: { url: 'http://127.0.0.1:4021/weather' } })
    expect(await validateDeclaration(local, { allowLoopback: true })).toMatchObject({ ok: true })
  })

  it('says what would be left out', async () => {
    const resource = { url: 'https://api.example.com/weather', iconUrl: 'javascript:alert(1)' }
    expect(await validateDeclaration(offer(weather, { resource }))).toMatchObject({
      ok: true,
      dropped: ['iconUrl'],
    })
  })
})
