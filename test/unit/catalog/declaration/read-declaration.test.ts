import { afterAll, describe, expect, test } from 'vitest'
import { readDeclaration } from '../../../../src/catalog/declaration/read-declaration.ts'
import type { RawDeclaration } from '../../../../src/catalog/listing.ts'
import type { DroppedField } from '../../../../src/catalog/outcome/codes.ts'
import {
  httpBazaar,
  MUXED_SELLER,
  mcpBazaar,
  nested,
  patientValidator,
  rawDeclaration,
  requirements,
  subject,
} from '../../../support/catalog/declarations.ts'

const validator = patientValidator()
const atHome = patientValidator({ allowLoopback: true })
afterAll(async () => {
  await Promise.all([validator[Symbol.asyncDispose](), atHome[Symbol.asyncDispose]()])
})

const read = (overrides: Partial<RawDeclaration> = {}) =>
  readDeclaration(rawDeclaration(overrides), subject, validator)

const contentOf = async (overrides: Partial<RawDeclaration> = {}) => {
  const answer = await read(overrides)
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.reason}`)
  return answer.content
}

/** Options of `https://api.example.com/a` with members of a resource. */
const resource = (members: object) => ({
  resource: { url: 'https://api.example.com/a', ...members },
})
const at = (url: unknown) => ({ resource: { url } })

describe('readDeclaration', () => {
  test('reads what a stock server declares for an HTTP resource', async () => {
    const { bazaar } = rawDeclaration()
    expect(
      await read({
        resource: {
          url: 'https://API.example.com:443/weather/./now?city=Lima#top',
          description: 'Weather now',
          mimeType: 'application/json',
          serviceName: 'Weather',
          tags: ['weather', 'forecast'],
          iconUrl: 'https://example.com/icon.png',
        },
        extensionKeys: ['payment-identifier', 'bazaar'],
      }),
    ).toEqual({
      ok: true,
      content: {
        resource: 'https://api.example.com/weather/now',
        kind: 'http',
        method: 'GET',
        description: 'Weather now',
        mimeType: 'application/json',
        serviceName: 'Weather',
        tags: ['weather', 'forecast'],
        iconUrl: 'https://example.com/icon.png',
        extensions: ['bazaar', 'payment-identifier'],
        bazaar,
        accepts: [requirements()],
      },
      dropped: [],
    })
  })

  test('reads a tool of MCP, over https and with an mcp: URL', async () => {
    const mcp = { bazaar: mcpBazaar({ transport: 'sse' }) }
    expect(await contentOf({ ...mcp, ...at('https://example.com/mcp?x=1') })).toMatchObject({
      resource: 'https://example.com/mcp',
      kind: 'mcp',
      toolName: 'forecast',
    })
    const tool = await contentOf({ ...mcp, ...at('mcp://tool/Forecast?x=1#y') })
    expect(tool.resource).toBe('mcp://tool/Forecast')
    expect(tool).not.toHaveProperty('method')
  })

  test('reads a payee with an id, and only options that pay it on the network', async () => {
    const other = { ...requirements({ payTo: MUXED_SELLER }), network: 'stellar:pubnet' }
    const accepts = [
      requirements(),
      requirements({ payTo: MUXED_SELLER, amount: '5' }),
      other,
      requirements({ payTo: MUXED_SELLER, amount: '5' }),
    ]
    const answer = await readDeclaration(
      rawDeclaration({ accepts }),
      { ...subject, payTo: MUXED_SELLER },
      validator,
    )
    expect(answer.ok && answer.content.accepts).toEqual([accepts[1]])
  })

  const path = (url: string, routeTemplate?: string) => ({
    ...at(url),
    bazaar: httpBazaar({ routeTemplate }),
  })
  test.each<[string, Partial<RawDeclaration>, string]>([
    ['a query and a fragment', at('https://a.example/b?c=d#e'), 'https://a.example/b'],
    ['no path', at('https://a.example'), 'https://a.example/'],
    ['the default port', at('http://a.example:80/b'), 'http://a.example/b'],
    ['another port', at('https://a.example:8443/b'), 'https://a.example:8443/b'],
    ['a host in capitals', at('HTTPS://A.Example/B'), 'https://a.example/B'],
    ['a fully qualified host', at('https://a.example.:8443/b'), 'https://a.example:8443/b'],
    ['an international host', at('https://bücher.example/b'), 'https://xn--bcher-kva.example/b'],
    ['a template', path('https://a.example/w/Lima', '/w/:city'), 'https://a.example/w/:city'],
    ['an invalid template', path('https://a.example/w/Lima', '/w/*'), 'https://a.example/w/Lima'],
    ['a public address', at('http://93.184.216.34/b'), 'http://93.184.216.34/b'],
  ])('lists a URL with %s by its canonical form', async (_, overrides, url) => {
    expect((await contentOf(overrides)).resource).toBe(url)
  })

  test('lists resources on this machine only where that is allowed', async () => {
    for (const url of ['http://localhost:4021/b', 'http://127.0.0.1:4021/b']) {
      const answer = await readDeclaration(rawDeclaration(at(url)), subject, atHome)
      expect(answer.ok && answer.content.resource).toBe(url)
    }
    const inside = await readDeclaration(rawDeclaration(at('http://10.0.0.1/')), subject, atHome)
    expect(inside).toMatchObject({ code: 'bazaar_resource_unsafe' })
  })

  const kept = (dropped: DroppedField[], members: object) => ({ dropped, members })
  const extra = (value: unknown) => ({ accepts: [requirements({ extra: value })] })
  test.each<[string, Partial<RawDeclaration>, ReturnType<typeof kept>]>([
    [
      'serviceName of 33 characters',
      resource({ serviceName: 'n'.repeat(33) }),
      kept(['serviceName'], { serviceName: undefined }),
    ],
    [
      'serviceName beyond ASCII',
      resource({ serviceName: 'Café' }),
      kept(['serviceName'], { serviceName: undefined }),
    ],
    ['serviceName that is no text', resource({ serviceName: 7 }), kept(['serviceName'], {})],
    [
      'tags that break the rules',
      resource({ tags: ['a', 7, 'x'.repeat(33), 'A', 'ü', '', 'b'] }),
      kept(['tags'], { tags: ['a', 'b'] }),
    ],
    [
      'tags after the fifth',
      resource({ tags: ['a', 'b', 'c', 'd', 'e', 'f'] }),
      kept(['tags'], { tags: ['a', 'b', 'c', 'd', 'e'] }),
    ],
    ['tags that are no list', resource({ tags: 'a,b' }), kept(['tags'], { tags: undefined })],
    ...[
      'ftp://a.example/i',
      'https://user@a.example/i',
      'https://localhost/i',
      'https://127.0.0.1/i',
      'https://[::1]/i',
      'https://2130706433/i',
      'https://0x7f000001/i',
      'https://a.example/\u202ei',
      '/icon.png',
      `https://a.example/${'i'.repeat(2_048)}`,
    ].map((iconUrl): [string, Partial<RawDeclaration>, ReturnType<typeof kept>] => [
      `iconUrl ${iconUrl.slice(0, 30)}`,
      resource({ iconUrl }),
      kept(['iconUrl'], { iconUrl: undefined }),
    ]),
    [
      'description of 2,001 characters',
      resource({ description: 'd'.repeat(2_001) }),
      kept(['description'], { description: undefined }),
    ],
    [
      'description without a visible character',
      resource({ description: '\u200b\u202e' }),
      kept(['description'], { description: undefined }),
    ],
    [
      'mimeType that is none',
      resource({ mimeType: '<script>' }),
      kept(['mimeType'], { mimeType: undefined }),
    ],
    [
      'routeTemplate with a wildcard',
      { bazaar: httpBazaar({ routeTemplate: '/a/*' }) },
      kept(['routeTemplate'], { resource: 'https://api.example.com/weather' }),
    ],
    [
      'routeTemplate that leads up',
      { bazaar: httpBazaar({ routeTemplate: '/a/%252e%252e/b' }) },
      kept(['routeTemplate'], { resource: 'https://api.example.com/weather' }),
    ],
    [
      'routeTemplate that is too long',
      { bazaar: httpBazaar({ routeTemplate: `/${'a'.repeat(2_048)}` }) },
      kept(['routeTemplate'], { resource: 'https://api.example.com/weather' }),
    ],
    [
      'routeTemplate of an mcp: URL',
      { bazaar: { ...mcpBazaar(), routeTemplate: '/a/:b' }, ...at('mcp://tool/x') },
      kept(['routeTemplate'], { resource: 'mcp://tool/x' }),
    ],
    ['extra that is no object', extra('x'), kept(['extra'], { accepts: [without('extra')] })],
    ['extra that is large', extra({ a: 'x'.repeat(5_000) }), kept(['extra'], {})],
    ['extra that is deep', extra(nested(9)), kept(['extra'], {})],
    ['extra with a prototype', extra(JSON.parse('{"__proto__": 1}')), kept(['extra'], {})],
    [
      'extensions with names that no filter can have',
      { extensionKeys: ['bazaar', 'a b', 'ok', 'x'.repeat(65)] },
      kept(['extensions'], { extensions: ['bazaar', 'ok'] }),
    ],
  ])('leaves out %s, and says so', async (_, overrides, { dropped, members }) => {
    const answer = await read(overrides)
    expect(answer).toMatchObject({ ok: true, dropped })
    const content: Record<string, unknown> = answer.ok ? { ...answer.content } : {}
    for (const [name, value] of Object.entries(members)) expect(content[name]).toEqual(value)
  })

  test('names what it leaves out in a fixed order', async () => {
    const answer = await read({
      ...resource({ mimeType: '', description: 5, iconUrl: 5, tags: 5, serviceName: 5 }),
      bazaar: httpBazaar({ routeTemplate: 5 }),
      accepts: [requirements({ extra: 5 })],
      extensionKeys: [''],
    })
    expect(answer.ok && answer.dropped).toEqual([
      ...['serviceName', 'tags', 'iconUrl', 'description', 'routeTemplate', 'extra', 'extensions'],
    ])
  })

  test('reports nothing as left out that was not given', async () => {
    const answer = await read({
      ...resource({ serviceName: null, tags: undefined, iconUrl: null, mimeType: null }),
      bazaar: httpBazaar({ routeTemplate: null }),
      accepts: [requirements({ extra: null })],
    })
    expect(answer).toMatchObject({ ok: true, dropped: [] })
  })

  test('takes hidden characters out of every text, and keeps HTML as text', async () => {
    const content = await contentOf({
      ...resource({ description: 'A\u202e <b>bold</b>\n\0 claim' }),
      bazaar: httpBazaar({
        info: {
          input: {
            type: 'http',
            method: 'POST',
            bodyType: 'text',
            body: 'two\nlines\u200b \ud800',
          },
        },
        schema: { type: 'object', description: 'x\u2066y' },
      }),
      accepts: [requirements({ extra: { name: 'U\u202eSDC' } })],
    })
    expect(content.description).toBe('A <b>bold</b> claim')
    expect(content.bazaar.info).toEqual({
      input: { type: 'http', method: 'POST', bodyType: 'text', body: 'two\nlines ' },
    })
    expect(content.bazaar.schema).toEqual({ type: 'object', description: 'xy' })
    expect(content.accepts).toEqual([requirements({ extra: { name: 'USDC' } })])
  })

  test('keeps members of info and schema that the contract does not know', async () => {
    const info = { input: { type: 'http', method: 'GET', x: { constructor: 1 } }, output: { y: 2 } }
    const schema = { properties: { constructor: { type: 'string' } }, widget: [1] }
    expect((await contentOf({ bazaar: { info, schema, other: 1 } })).bazaar).toEqual({
      info,
      schema,
    })
  })
})

/** The option of the default requirements without a member. */
function without(name: string): object {
  return Object.fromEntries(Object.entries(requirements()).filter(([member]) => member !== name))
}
