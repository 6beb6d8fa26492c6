import { afterAll, describe, expect, test } from 'vitest'
import { readDeclaration } from '../../../../src/catalog/declaration/read-declaration.ts'
import type { RawDeclaration } from '../../../../src/catalog/listing.ts'
import type { RejectionCode } from '../../../../src/catalog/outcome/codes.ts'
import {
  httpBazaar,
  MUXED_SELLER,
  mcpBazaar,
  nested,
  patientValidator,
  rawDeclaration,
  requirements,
  SELLER,
  subject,
} from '../../../support/catalog/declarations.ts'

const validator = patientValidator()
afterAll(() => validator[Symbol.asyncDispose]())

const read = (overrides: Partial<RawDeclaration> = {}) =>
  readDeclaration(rawDeclaration(overrides), subject, validator)

const at = (url: unknown) => ({ resource: { url } })
const withSchema = (schema: unknown) => ({ bazaar: httpBazaar({ schema }) })
const withInput = (input: unknown) => ({ bazaar: httpBazaar({ info: { input }, schema: {} }) })
const KIB = 1_024
/** Info and schema keep their bounds, but not together. */
const large = httpBazaar({
  info: { ...httpBazaar().info, a: 'x'.repeat(40 * KIB) },
  schema: { description: 'x'.repeat(30 * KIB) },
})

describe('readDeclaration', () => {
  const rejections: Record<string, readonly [RejectionCode, Partial<RawDeclaration>][]> = {
    'is not the shape of the extension': [
      ['bazaar_extension_malformed', { bazaar: undefined }],
      ['bazaar_extension_malformed', { bazaar: null }],
      ['bazaar_extension_malformed', { bazaar: [] }],
      ['bazaar_extension_malformed', { bazaar: 'bazaar' }],
      ['bazaar_extension_malformed', { bazaar: {} }],
      ['bazaar_extension_malformed', { bazaar: httpBazaar({ info: 'x' }) }],
      ['bazaar_extension_malformed', { bazaar: httpBazaar({ schema: true }) }],
      ['bazaar_extension_malformed', { accepts: [] }],
      ['bazaar_extension_malformed', { accepts: [requirements({ payTo: MUXED_SELLER })] }],
      ['bazaar_extension_malformed', { accepts: [requirements({ asset: SELLER })] }],
      ['bazaar_extension_malformed', { accepts: [requirements({ amount: '1.5' })] }],
      ['bazaar_extension_malformed', { accepts: [requirements({ maxTimeoutSeconds: '60' })] }],
    ],
    'is larger than a payment may store': [
      ['bazaar_schema_too_large', { isTooLarge: true, bazaar: null, accepts: [] }],
      ['bazaar_schema_too_large', { bazaar: httpBazaar({ info: nested(33) }) }],
      ['bazaar_schema_too_large', { bazaar: httpBazaar({ info: { a: 'x'.repeat(64 * KIB) } }) }],
      ['bazaar_schema_too_large', { bazaar: large }],
    ],
    'is of another version of x402': [
      ['bazaar_unsupported_version', { x402Version: 1 }],
      ['bazaar_unsupported_version', { x402Version: '2' }],
    ],
    'has a hostile name of a member': [
      ['bazaar_extension_malformed', withSchema(JSON.parse('{"__proto__": {"type": "object"}}'))],
      ['bazaar_extension_malformed', withInput(JSON.parse('{"body": [{"__proto__": 1}]}'))],
      ['bazaar_extension_malformed', withInput({ type: 'http', 'a\u202eb': 1 })],
    ],
    'has a schema that is too large': [
      ['bazaar_schema_too_large', withSchema({ description: 'x'.repeat(32 * KIB) })],
      ['bazaar_schema_too_large', withSchema({ description: '€'.repeat(11 * KIB) })],
      ['bazaar_schema_too_large', withSchema(nested(33))],
      ['bazaar_schema_too_large', withSchema(nested(10_000))],
    ],
    'has a schema that refers to another document': [
      ['bazaar_schema_external_reference', withSchema({ $ref: 'https://example.com/s.json' })],
      ['bazaar_schema_external_reference', withSchema({ $id: 'https://example.com/s.json' })],
      ['bazaar_schema_external_reference', withSchema({ allOf: [{ $dynamicRef: 'other' }] })],
      ['bazaar_schema_external_reference', withSchema({ $recursiveRef: 'file:///etc/passwd' })],
      [
        'bazaar_schema_external_reference',
        withSchema({ properties: { $ref: { type: 'string' } } }),
      ],
    ],
    'has a schema that is none': [
      ['bazaar_schema_invalid', withSchema({ type: 'strung' })],
      [
        'bazaar_schema_invalid',
        withSchema({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }),
      ],
    ],
    'has an info that does not keep its schema': [
      ['bazaar_info_invalid', withSchema({ properties: { input: { required: ['body'] } } })],
    ],
    'has an info that the catalog cannot list': [
      ['bazaar_info_unsupported', withInput(undefined)],
      ['bazaar_info_unsupported', withInput([])],
      ['bazaar_info_unsupported', withInput({ type: 'grpc' })],
      ['bazaar_info_unsupported', withInput({ type: 'http' })],
      ['bazaar_info_unsupported', withInput({ type: 'http', method: 'get' })],
      ['bazaar_info_unsupported', withInput({ type: 'http', method: 'TRACE' })],
      ['bazaar_info_unsupported', withInput({ type: 'http', method: 'GET', bodyType: 'json' })],
      ['bazaar_info_unsupported', withInput({ type: 'http', method: 'POST', bodyType: 'xml' })],
      ['bazaar_info_unsupported', { bazaar: mcpBazaar({ toolName: undefined, tool: 'x' }) }],
      ['bazaar_info_unsupported', { bazaar: mcpBazaar({ toolName: '' }) }],
      ['bazaar_info_unsupported', { bazaar: mcpBazaar({ toolName: 'a'.repeat(129) }) }],
      ['bazaar_info_unsupported', { bazaar: mcpBazaar({ toolName: 'fore\u200bcast' }) }],
      ['bazaar_info_unsupported', { bazaar: mcpBazaar({ inputSchema: 'object' }) }],
      ['bazaar_info_unsupported', { bazaar: mcpBazaar({ transport: 'stdio' }) }],
    ],
    'has a URL that is none': [
      ['bazaar_resource_invalid', { resource: undefined }],
      ['bazaar_resource_invalid', { resource: 'https://a.example' }],
      ['bazaar_resource_invalid', at(undefined)],
      ['bazaar_resource_invalid', at(7)],
      ['bazaar_resource_invalid', at('')],
      ['bazaar_resource_invalid', at('/weather')],
      ['bazaar_resource_invalid', at('https://')],
      ['bazaar_resource_invalid', at(`https://a.example/${'b'.repeat(2_048)}`)],
      ['bazaar_resource_invalid', at(`https://a.example/${'é'.repeat(700)}`)],
      ['bazaar_resource_invalid', at('ftp://a.example/b')],
      ['bazaar_resource_invalid', at('javascript:alert(1)')],
      ['bazaar_resource_invalid', at('data:text/html,x')],
      ['bazaar_resource_invalid', at('mcp://tool/x')],
      ['bazaar_resource_invalid', { bazaar: mcpBazaar(), ...at('ws://a.example') }],
    ],
    'has a URL that is unsafe': [
      ['bazaar_resource_unsafe', at('https://user:secret@a.example/b')],
      ['bazaar_resource_unsafe', at('https://user@a.example/b')],
      ['bazaar_resource_unsafe', at('https://a.example/\u202etxt')],
      ['bazaar_resource_unsafe', at('https://a.exa\nmple/')],
      ['bazaar_resource_unsafe', at('http://127.0.0.1/b')],
      ['bazaar_resource_unsafe', at('http://2130706433/b')],
      ['bazaar_resource_unsafe', at('http://[::1]:8080/b')],
      ['bazaar_resource_unsafe', at('http://localhost:4021/b')],
      ['bazaar_resource_unsafe', at('http://api.localhost./b')],
      ['bazaar_resource_unsafe', at('http://169.254.169.254/latest')],
      ['bazaar_resource_unsafe', at('http://10.1.2.3/b')],
      ['bazaar_resource_unsafe', at('http://[::ffff:10.1.2.3]/b')],
      ['bazaar_resource_unsafe', at('http://[fd00::1]/b')],
      ['bazaar_resource_unsafe', { bazaar: mcpBazaar(), ...at('http://192.168.1.1/mcp') }],
    ],
  }
  describe.each(Object.entries(rejections))('refuses a declaration that %s', (_, rows) => {
    test.each(rows)('with %s (row %#)', async (code, overrides) => {
      const answer = await read(overrides)
      expect(answer).toEqual({
        ok: false,
        code,
        reason: expect.stringMatching(/^The .*\.$|^No .*\.$/),
      })
    })
  })

  test('quotes a hostile value in its reason without hidden characters, cut', async () => {
    const answer = await read(withInput({ type: `g\u202erpc${'x'.repeat(5_000)}` }))
    expect(answer.ok || answer.reason.length).toBeLessThan(300)
    expect(answer.ok || answer.reason).toMatch(/^[\x20-\x7e]*$/)
  })

  test('refuses a hostile document of any depth without a stack overflow', async () => {
    expect(await read({ bazaar: httpBazaar({ info: nested(9_000) }) })).toMatchObject({
      code: 'bazaar_schema_too_large',
    })
  })
})
