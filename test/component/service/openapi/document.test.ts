import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { reasons } from '../../../../src/payments/protocol/reasons.ts'
import { faults } from '../../../../src/platform/core/errors/faults.ts'
import { openApiDocument } from '../../../../src/service/openapi/document.ts'
import { explorerDocument } from '../../../../src/service/openapi/explorer-document.ts'
import { explorerRoutes } from '../../../../src/service/openapi/explorer-routes.ts'
import { templateOf } from '../../../../src/service/openapi/parameters.ts'
import { routes } from '../../../../src/service/openapi/routes.ts'
import { expectDescribed, expectExplorerDescribed } from '../../../support/openapi.ts'
import { type Stack, startStack } from '../../../support/stack.ts'

const copy = (version: string) => JSON.parse(JSON.stringify(openApiDocument(version)))

const documents = [
  { of: 'the public port', document: copy('dev'), routes, check: expectDescribed },
  {
    of: "the explorer's port",
    document: JSON.parse(JSON.stringify(explorerDocument('dev'))),
    routes: explorerRoutes,
    check: expectExplorerDescribed,
  },
]

describe('the OpenAPI document', () => {
  test.each(documents)('of $of is valid against the meta-schema of OpenAPI 3.1', async (row) => {
    const validator = new Validator()
    const result = await validator.validate(row.document)
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  it('lists every reason code of the table, and the code of every error', () => {
    const { schemas } = copy('dev').components
    const enumOf = (name: string, member: string): string[] =>
      schemas[name].oneOf[1].properties[member].enum
    const verify = enumOf('Verification', 'invalidReason')
    const settle = enumOf('Settlement', 'errorReason')
    const { unexpected_verify_error: _, ...settleReasons } = reasons
    expect(settle).toEqual(Object.keys(settleReasons))
    expect(settle).toEqual(expect.arrayContaining(verify))
    const others = settle.filter((code) => !verify.includes(code))
    expect(others.every((code) => /^(settle|unexpected)/.test(code))).toBe(true)
    expect(schemas.ErrorMember.properties.code.enum).toEqual(Object.keys(faults))
  })

  test.each(documents)('of $of holds examples that are valid against their own schemas', (row) => {
    const { paths } = row.document
    const examples = row.routes.flatMap(({ path, method }) =>
      Object.entries(paths[templateOf(path)][method].responses).flatMap(([status, response]) =>
        valuesIn(response).map((body) => ({ method, path, status: Number(status), body })),
      ),
    )
    expect(examples.length).toBeGreaterThan(12)
    for (const example of examples) row.check(example)
  })
})

const valuesIn = (response: unknown): unknown[] => {
  const { content = {} } = response as { content?: Record<string, { examples?: object }> }
  return Object.values(content['application/json']?.examples ?? {}).map(({ value }) => value)
}

describe('GET /openapi.json', () => {
  const opened = new AsyncDisposableStack()
  let stack: Stack
  beforeAll(async () => {
    stack = opened.use(await startStack())
  })
  afterAll(() => opened.disposeAsync())

  it('answers the document with the version of the build', async () => {
    const answer = await stack.get('/openapi.json')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.body).toEqual(copy('test'))
  })
})

describe('the check of answers against the document', () => {
  test.each([
    {
      when: 'a member is missing',
      answer: { method: 'POST', path: '/verify', status: 200, body: { isValid: true } },
    },
    {
      when: 'a member is not described',
      answer: {
        method: 'POST',
        path: '/verify',
        status: 200,
        body: { isValid: true, payer: 'G', more: 1 },
      },
    },
    {
      when: 'a status is not described',
      answer: { method: 'GET', path: '/supported', status: 418, body: {} },
    },
    {
      when: 'a path is not described',
      answer: { method: 'GET', path: '/secret', status: 200, body: {} },
    },
    {
      when: 'a verification has a code of settlements',
      answer: {
        method: 'POST',
        path: '/verify',
        status: 200,
        body: { isValid: false, invalidReason: 'settlement_pending', invalidMessage: 'x' },
      },
    },
    {
      when: 'a settlement has an unknown code',
      answer: {
        method: 'POST',
        path: '/settle',
        status: 200,
        body: {
          success: false,
          errorReason: 'no_reason',
          errorMessage: 'x',
          transaction: '',
          network: '',
        },
      },
    },
    {
      when: 'an error has an unknown code',
      answer: {
        method: 'GET',
        path: '/nowhere',
        status: 404,
        body: { error: { code: 'gone', reason: 'x', retryable: false } },
      },
    },
  ])('throws when $when', ({ answer }) => {
    expect(() => expectDescribed(answer)).toThrow(answer.path)
  })
})
