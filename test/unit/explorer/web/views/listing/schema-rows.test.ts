import { describe, expect, it } from 'vitest'
import {
  declaredInputs,
  declaredOutputs,
} from '../../../../../../src/explorer/web/views/listing/schema/declared.ts'
import { schemaRows } from '../../../../../../src/explorer/web/views/listing/schema/schema-rows.ts'

const rowsOf = (schema: unknown) => schemaRows(schema, schema).rows

describe('schemaRows', () => {
  it('names the values of nested objects and lists by their paths', () => {
    const item = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } }
    const schema = {
      type: 'object',
      properties: { days: { type: 'array', items: item }, units: { enum: ['c', 'f'] } },
      required: ['days'],
    }
    expect(rowsOf(schema)).toEqual([
      { name: 'days', type: 'array of object', isRequired: true, allowed: [] },
      { name: 'days[].at', type: 'string, date-time', isRequired: false, allowed: [] },
      { name: 'units', type: 'any', isRequired: false, allowed: ['"c"', '"f"'] },
    ])
  })

  it('follows a reference within the document, and keeps what stands beside it', () => {
    const schema = {
      $defs: { place: { type: 'string', description: 'A place' } },
      properties: { from: { $ref: '#/$defs/place', description: 'Where it begins' } },
    }
    expect(rowsOf(schema)).toMatchObject([
      { name: 'from', type: 'string', description: 'Where it begins' },
    ])
  })

  it.each([
    ['a reference to itself', { properties: { a: { $ref: '#' } } }],
    ['a list of itself', { items: { $ref: '#' } }],
    [
      'two references to each other',
      {
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
        properties: { x: { $ref: '#/$defs/a' } },
      },
    ],
    [
      'many members',
      { properties: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`m${at}`, {}])) },
    ],
    [
      'many levels',
      Array.from({ length: 30 }).reduce<object>((inner) => ({ properties: { a: inner } }), {}),
    ],
  ])('ends at %s', (_name, schema) => {
    expect(rowsOf(schema).length).toBeLessThanOrEqual(60)
  })

  it.each([undefined, null, 'text', 5, [], { properties: null }, { properties: { a: 'text' } }])(
    'reads %j, which is no schema of an object, without failing',
    (schema) => {
      expect(rowsOf(schema).length).toBeLessThanOrEqual(1)
    },
  )
})

describe('a declaration', () => {
  it('says where each input of an HTTP call stands', () => {
    const input = {
      properties: {
        queryParams: { properties: { city: { type: 'string' } }, required: ['city'] },
        body: { properties: { text: { type: 'string' } } },
      },
    }
    const schema = { properties: { input } }
    const { rows } = declaredInputs({ info: { input: { type: 'http' } }, schema })
    expect(rows).toMatchObject([
      { name: 'city', place: 'query', isRequired: true },
      { name: 'text', place: 'body', isRequired: false },
    ])
  })

  it('has the names of its example where its schema says none', () => {
    const info = {
      input: { type: 'http', queryParams: { lat: 1 } },
      output: { example: { ok: true } },
    }
    expect(declaredInputs({ info, schema: {} }).rows).toMatchObject([
      { name: 'lat', type: 'number', place: 'query' },
    ])
    expect(declaredOutputs({ info, schema: {} }).rows).toMatchObject([
      { name: 'ok', type: 'boolean' },
    ])
  })

  it('has the arguments of a tool', () => {
    const inputSchema = { properties: { harbour: { type: 'string' } } }
    const { rows } = declaredInputs({ info: { input: { type: 'mcp', inputSchema } }, schema: {} })
    expect(rows).toMatchObject([{ name: 'harbour', place: 'argument' }])
  })
})
