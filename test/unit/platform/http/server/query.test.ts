import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  clampedInteger,
  type Parameters,
  readQuery,
} from '../../../../../src/platform/http/server/query.ts'

const parameters = {
  name: { schema: z.string().regex(/^[a-z]+$/), rule: 'small letters' },
  size: { schema: clampedInteger(1, 100), reads: 'integer', rule: 'a whole number from 1 on' },
  keys: { schema: z.array(z.string().min(1)).max(2), reads: 'list', rule: 'at most two keys' },
} as const satisfies Parameters

describe('readQuery', () => {
  test.each<{ query: Record<string, unknown>; values: object }>([
    { query: {}, values: {} },
    { query: { name: 'a' }, values: { name: 'a' } },
    { query: { size: '007' }, values: { size: 7 } },
    { query: { size: '101' }, values: { size: 100 } },
    { query: { size: '9'.repeat(400) }, values: { size: 100 } },
    { query: { keys: 'a,b' }, values: { keys: ['a', 'b'] } },
  ])('reads $query', ({ query, values }) => {
    expect(readQuery(parameters, query)).toEqual({ ok: true, values })
  })

  test.each<{ query: Record<string, unknown>; reason: string }>([
    { query: { name: '' }, reason: 'the parameter name must be small letters' },
    { query: { name: ['a', 'a'] }, reason: 'the parameter name is given more than once' },
    { query: { size: '0' }, reason: 'the parameter size must be a whole number from 1 on' },
    { query: { size: '' }, reason: 'the parameter size must be a whole number from 1 on' },
    { query: { size: '1e1' }, reason: 'the parameter size must be a whole number from 1 on' },
    { query: { size: '-1' }, reason: 'the parameter size must be a whole number from 1 on' },
    { query: { keys: 'a,b,c' }, reason: 'the parameter keys must be at most two keys' },
    { query: { keys: 'a,' }, reason: 'the parameter keys must be at most two keys' },
    { query: { other: 'a' }, reason: 'the parameter "other" is not supported' },
    { query: { constructor: 'a' }, reason: 'the parameter "constructor" is not supported' },
    { query: { 'a\u0007"b': '' }, reason: 'the parameter "a \\"b" is not supported' },
    {
      query: { ['x'.repeat(9_000)]: '' },
      reason: `the parameter "${'x'.repeat(40)}..." is not supported`,
    },
  ])('refuses $query', ({ query, reason }) => {
    expect(readQuery(parameters, query)).toMatchObject({ ok: false, reason })
  })

  test('refuses a query without a required parameter', () => {
    const required = { name: { ...parameters.name, isRequired: true } }
    expect(readQuery(required, {})).toEqual({
      ok: false,
      reason: 'the parameter name is missing',
      parameter: 'name',
    })
  })

  test.each<{ query: Record<string, unknown>; parameter: string; value: string }>([
    { query: { size: '0' }, parameter: 'size', value: '0' },
    { query: { name: ['a', 'b'] }, parameter: 'name', value: 'a,b' },
    { query: { other: '' }, parameter: 'other', value: '' },
    { query: { name: '\u001b[31m' }, parameter: 'name', value: ' [31m' },
    { query: { name: 'X'.repeat(9_000) }, parameter: 'name', value: `${'X'.repeat(100)}...` },
  ])('names the parameter and the value of $query', ({ query, parameter, value }) => {
    expect(readQuery(parameters, query)).toMatchObject({ ok: false, parameter, value })
  })
})
