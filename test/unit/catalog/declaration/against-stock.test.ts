/** What the catalog extracts from a payment, against what the stock packages extract from it. */
import * as stock from '@x402/extensions/bazaar'
import * as next from '@x402/extensions-next/bazaar'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isJsonObject } from '../../../../src/catalog/declaration/json-values.ts'
import { readDeclaration } from '../../../../src/catalog/declaration/read-declaration.ts'
import { isRouteTemplate } from '../../../../src/catalog/declaration/route-template.ts'
import { readMetadata } from '../../../../src/catalog/declaration/service-metadata.ts'
import type { RawDeclaration } from '../../../../src/catalog/listing.ts'
import { cleanLine } from '../../../../src/platform/core/text/hostile-text.ts'
import {
  patientValidator,
  rawDeclaration,
  requirements,
  subject,
} from '../../../support/catalog/declarations.ts'

const validator = patientValidator()
afterAll(() => validator[Symbol.asyncDispose]())

// The stock packages tell of each refusal on the console.
beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue(undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const runs = { numRuns: 40 }

const encoded = fc.constantFrom('%2e%2e', '%252e%252e', '%25252e', '%20', '%', '%3a%2f%2f', '%zz')
const templatePart = fc.oneof(
  fc.constantFrom('/', ':id', 'a', '..', '.', '*', '[id]', '://', '~', '-', ' '),
  encoded,
  fc.string({ maxLength: 3 }),
)
const template = fc.oneof(
  fc.array(templatePart, { maxLength: 5 }).map((parts) => `/${parts.join('')}`),
  fc.constantFrom('', '/', 'a', '/weather/:city', '/a/:b/c/:d', '//a'),
)

const text = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 40 }))

/** `fc.webUrl` makes a table of all characters of Unicode first, which takes a second. */
const webUrl = ({ withFragments }: { withFragments: boolean }) => {
  const part = fc
    .array(
      fc.constantFrom(...'abzAZ09-._~$,;:@!', '%20', '%C3%A9', '%E6%97%A5', '%F0%9F%8C%B5', '%2F'),
      { maxLength: 6 },
    )
    .map((letters) => letters.join(''))
  const after = (sign: string) =>
    fc.option(part, { nil: undefined }).map((text) => (text === undefined ? '' : sign + text))
  return fc
    .tuple(
      fc.constantFrom('http', 'https'),
      fc.domain(),
      fc.array(part, { maxLength: 3 }),
      after('?'),
      withFragments ? after('#') : fc.constant(''),
    )
    .map(
      ([scheme, host, path, query, fragment]) =>
        [`${scheme}:/`, host, ...path].join('/') + query + fragment,
    )
}

const iconUrl = fc.oneof(
  webUrl({ withFragments: false }),
  fc.constantFrom(
    ...['http://localhost/i', 'https://127.0.0.1/i', 'https://0x7f.1/i', 'https://[::1]/i'],
    ...['ftp://a.example/i', 'https://u@a.example/i', 'https://bücher.example/i', 'https://1/i'],
  ),
  text,
)
const tags = fc.oneof(
  fc.array(fc.oneof(fc.constantFrom('a', 'A', 'b', 'c', 'd', 'e', 'f', ''), text, fc.integer())),
  text,
)
/** Members of a resource that stock servers pass on. */
const metadata = fc.record(
  { serviceName: fc.oneof(text, fc.integer()), tags, iconUrl },
  { requiredKeys: [] },
)

test('accepts the same route templates as the next package', () => {
  fc.assert(
    fc.property(template, (value) => isRouteTemplate(value) === next.isValidRouteTemplate(value)),
    { numRuns: 5_000 },
  )
})

test('accepts no route template that the current package refuses', () => {
  // It decodes once: what is encoded twice passes there and not here.
  fc.assert(
    fc.property(template, (value) => !isRouteTemplate(value) || stock.isValidRouteTemplate(value)),
    { numRuns: 5_000 },
  )
})

test('keeps the service metadata that the next package keeps', () => {
  fc.assert(
    fc.property(metadata, (resource) => {
      // Characters without a glyph are refused in a URL of an icon, which the package lets through.
      fc.pre(
        typeof resource.iconUrl !== 'string' || resource.iconUrl === cleanLine(resource.iconUrl),
      )
      fc.pre(typeof resource.iconUrl !== 'string' || !resource.iconUrl.includes(' '))
      const { serviceName, tags: kept, iconUrl: icon } = readMetadata(resource).metadata
      const ours = Object.entries({ serviceName, tags: kept, iconUrl: icon })
      expect(Object.fromEntries(ours.filter(([, value]) => value !== undefined))).toEqual(
        next.sanitizeResourceServiceMetadata(resource as never),
      )
    }),
    { numRuns: 3_000 },
  )
})

const url = fc.oneof(
  webUrl({ withFragments: true }),
  fc.constantFrom(
    ...['https://bücher.example/a', 'HTTP://A.example:80/a/../b', 'https://a.example:8443/é?x#y'],
    ...['https://a.example./a', 'https://a.example//b', 'https://93.184.216.34/%7Ea'],
  ),
)
const scalar = fc.oneof(fc.string({ maxLength: 10 }), fc.integer(), fc.boolean())
const members = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), scalar, { maxKeys: 3 })
/** A schema of some of the members, right or wrong for them. */
const propertiesOf = (input: Readonly<Record<string, unknown>>) =>
  fc
    .subarray(Object.keys(input))
    .chain((names) =>
      fc.tuple(
        ...names.map((name) =>
          fc.constantFrom<[string, object]>(
            [name, { type: typeof input[name] }],
            [name, {}],
            [name, { type: 'object' }],
          ),
        ),
      ),
    )
    .map((entries) => Object.fromEntries(entries))

const methodsOf = { query: ['GET', 'HEAD', 'DELETE'], body: ['POST', 'PUT', 'PATCH'] } as const
/** As a seller writes it for a stock server, which then adds method and template. */
const served = fc
  .record({
    isBody: fc.boolean(),
    isMcp: fc.boolean(),
    at: fc.nat(2),
    input: members,
    routePattern: fc.constantFrom('/a', '/w/:city', '/w/[city]', '/x/*', '/*'),
    url,
  })
  .chain((seed) => propertiesOf(seed.input).map((properties) => ({ ...seed, properties })))
type Served = typeof served extends fc.Arbitrary<infer Seed> ? Seed : never

type Package = typeof stock | typeof next

function declare(library: Package, seed: Served): unknown {
  const { input, isBody, properties, routePattern } = seed
  const inputSchema = { properties }
  if (seed.isMcp) {
    const tool = { toolName: 'tool', description: 'A tool', inputSchema: { type: 'object' } }
    return library.declareDiscoveryExtension(tool as never)['bazaar']
  }
  const config = isBody ? { input, inputSchema, bodyType: 'json' } : { input, inputSchema }
  const declared = library.declareDiscoveryExtension(config as never)['bazaar']
  const method = methodsOf[isBody ? 'body' : 'query'][seed.at]
  const adapter = { getPath: () => '/w/lima' }
  const context = { method, adapter, routePattern }
  return library.bazaarResourceServerExtension.enrichDeclaration?.(declared, context)
}

interface Extracted {
  readonly resourceUrl: string
  readonly method?: string
  readonly toolName?: string
  readonly routeTemplate?: string
  readonly discoveryInfo: unknown
}

/** What a package extracts from a payment with this declaration; null when it refuses. */
function extract(library: Package, { resource, bazaar }: RawDeclaration): Extracted | null {
  const payload = { x402Version: 2, resource, extensions: { bazaar }, accepted: {}, payload: {} }
  return library.extractDiscoveryInfo(payload as never, requirements() as never) as never
}

const ours = async (raw: RawDeclaration) => {
  const answer = await readDeclaration(raw, subject, validator)
  if (!answer.ok) return null
  const { resource, method, toolName, bazaar } = answer.content
  return {
    resourceUrl: resource,
    method,
    toolName,
    routeTemplate: bazaar.routeTemplate,
    discoveryInfo: bazaar.info,
  }
}

/** The dot at the end of a host name, which the packages keep, would make a second resource of the same server. */
const withoutLastDot = (resource: string) =>
  resource.replace(/^(https?:\/\/[^/:]+)\.(?=[:/])/, '$1')

const theirs = (extracted: Extracted | null) =>
  extracted && {
    resourceUrl: withoutLastDot(extracted.resourceUrl),
    method: extracted.method,
    toolName: extracted.toolName,
    routeTemplate: extracted.routeTemplate,
    discoveryInfo: extracted.discoveryInfo,
  }

describe.each<[string, Package]>([
  ['@x402/extensions', stock],
  ['@x402/extensions, next', next],
])('with %s, readDeclaration', (_, library) => {
  test('lists what its server declares, as it extracts that itself', async () => {
    await fc.assert(
      fc.asyncProperty(served, async (seed) => {
        const raw = rawDeclaration({
          resource: { url: seed.url },
          bazaar: JSON.parse(JSON.stringify(declare(library, seed))),
        })
        expect(await ours(raw)).toEqual(theirs(extract(library, raw)))
      }),
      runs,
    )
  })

  test('refuses what it refuses, among declarations of any form', async () => {
    const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'get', 'TRACE')
    const info = fc.record({
      input: fc.record(
        { type: fc.constantFrom('http', 'http', 'mcp', 'x'), method, body: scalar },
        { requiredKeys: ['type'] },
      ),
    })
    const schema = fc.record(
      {
        type: fc.constantFrom('object', 'array', 'strung'),
        properties: fc.record({ input: fc.record({ required: fc.subarray(['type', 'body']) }) }),
        required: fc.subarray(['input', 'output']),
        $ref: fc.constantFrom('#', '#/$defs/x', '#/properties/input'),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(info, schema, template, url, async (...parts) => {
        const [anyInfo, anySchema, routeTemplate, anyUrl] = parts
        const bazaar = { info: anyInfo, schema: anySchema, routeTemplate }
        const raw = rawDeclaration({ resource: { url: anyUrl }, bazaar })
        const extracted = extract(library, raw)
        // What the specification demands beyond the schema, and our own demand that a method be named.
        const isSpecified = next.validateDiscoveryExtensionSpec(bazaar as never).valid
        const isNamed = anyInfo.input.type !== 'http' || anyInfo.input.method !== undefined
        // The current package lets through templates that are encoded twice.
        fc.pre(
          next.isValidRouteTemplate(routeTemplate) === library.isValidRouteTemplate(routeTemplate),
        )
        expect(await ours(raw)).toEqual(isSpecified && isNamed ? theirs(extracted) : null)
      }),
      runs,
    )
  })
})

test('the generated declarations are listed now and then', async () => {
  const seeds = fc.sample(served, 30)
  const listed = await Promise.all(
    seeds.map((seed) =>
      ours(rawDeclaration({ resource: { url: seed.url }, bazaar: declare(next, seed) })),
    ),
  )
  const methods = listed.map((content) => content && (content.method ?? content.toolName))
  expect(methods.filter((method) => method !== null).length).toBeGreaterThan(5)
  expect(methods).toContain('tool')
  expect(listed.some((content) => isJsonObject(content?.discoveryInfo))).toBe(true)
})
