import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { customResourceDefinition } from '../../../../src/kubernetes/crd/definitions/crd.ts'
import { type KindName, kinds } from '../../../../src/kubernetes/crd/names/group.ts'
import { presentShape, recordedShape } from '../../../../tools/generate/record-shapes.ts'
import { nextDefinition } from '../../../support/api/next-definition.ts'
import { breakingChanges, type FieldShape, shapeOf } from '../../../support/api/schema-shape.ts'

/** By the recorded files: a version that is no longer served still has one. */
const promised = readdirSync(new URL('../../../fixtures/api/', import.meta.url)).flatMap((file) => {
  const [, plural, version] = /^(\w+)-(v\w+)\.yaml$/.exec(file) ?? []
  const kind = (Object.keys(kinds) as KindName[]).find((each) => kinds[each].plural === plural)
  return kind && version ? [{ kind, version }] : []
})

test('every served version of every kind is promised', () => {
  const served = (Object.keys(kinds) as KindName[]).flatMap((kind) =>
    customResourceDefinition(kind).spec.versions.map(({ name: version }) => ({ kind, version })),
  )
  expect(promised).toEqual(expect.arrayContaining(served))
})

describe.each(promised)('$kind $version', ({ kind, version }) => {
  test('keeps existing objects valid', () => {
    expect(breakingChanges(recordedShape(kind, version), presentShape(kind, version))).toEqual([])
  })

  test('equals the recorded shape', () => {
    expect(
      presentShape(kind, version),
      'run `node tools/generate/record-shapes.ts` and commit what it wrote',
    ).toEqual(recordedShape(kind, version))
  })

  test('lets a later release add fields, and none take them away again', () => {
    const later = nextDefinition(kind).spec.versions.find(({ name }) => name === version)
    const shape = shapeOf(later?.schema.openAPIV3Schema ?? {})

    expect(breakingChanges(recordedShape(kind, version), shape)).toEqual([])
    expect(breakingChanges(shape, presentShape(kind, version))).toEqual([
      'spec.later was removed',
      'status.later was removed',
    ])
  })
})

describe('breakingChanges', () => {
  const text: FieldShape = { type: 'string', bounds: { maxLength: 9, minLength: 2 } }
  const list: FieldShape = { type: 'array', sharing: 'map name', keepsUnknown: true }
  const choice: FieldShape = { type: 'string', enum: ['A', 'B'], default: 'A' }
  const before = {
    '.': { type: 'object' },
    spec: { type: 'object' },
    'spec.a': text,
    'spec.b': choice,
    'spec.l': list,
  }
  const changed = (path: string, field: FieldShape) => ({ ...before, [path]: field })
  const { 'spec.a': _gone, ...withoutA } = before

  test.each([
    { what: 'a removed field', after: withoutA, says: 'spec.a was removed' },
    {
      what: 'a new required field',
      after: changed('spec.c', { type: 'string', required: true }),
      says: 'spec.c is new and required',
    },
    {
      what: 'a field that became required',
      after: changed('spec.a', { ...text, required: true }),
      says: 'spec.a became required',
    },
    {
      what: 'another type',
      after: changed('spec.a', { ...text, type: 'integer' }),
      says: 'spec.a became integer',
    },
    {
      what: 'a lower upper bound',
      after: changed('spec.a', { ...text, bounds: { maxLength: 8, minLength: 2 } }),
      says: 'spec.a has a lower maxLength',
    },
    {
      what: 'a higher lower bound',
      after: changed('spec.a', { ...text, bounds: { maxLength: 9, minLength: 3 } }),
      says: 'spec.a has a higher minLength',
    },
    {
      what: 'a new bound',
      after: changed('spec.b', { ...choice, bounds: { maxLength: 8 } }),
      says: 'spec.b has a lower maxLength',
    },
    {
      what: 'a removed choice',
      after: changed('spec.b', { ...choice, enum: ['A'] }),
      says: 'spec.b lost choices B',
    },
    {
      what: 'another default',
      after: changed('spec.b', { ...choice, default: 'B' }),
      says: 'spec.b has another default',
    },
    {
      what: 'a pattern',
      after: changed('spec.a', { ...text, pattern: '^a$' }),
      says: 'spec.a has another pattern',
    },
    {
      what: 'a list that writers share in another way',
      after: changed('spec.l', { ...list, sharing: 'atomic' }),
      says: 'spec.l is shared by writers in another way: atomic',
    },
    {
      what: 'members that are pruned',
      after: changed('spec.l', { type: 'array', sharing: 'map name' }),
      says: 'spec.l no longer keeps unknown members',
    },
    {
      what: 'a rule',
      after: changed('spec', { type: 'object', rules: ['true'] }),
      says: 'spec has a new rule true',
    },
  ])('names $what', ({ after, says }) => {
    expect(breakingChanges(before, after)).toEqual([says])
  })

  test.each([
    { what: 'an optional field', after: changed('spec.c', { type: 'string' }) },
    {
      what: 'a wider bound',
      after: changed('spec.a', { ...text, bounds: { maxLength: 10, minLength: 1 } }),
    },
    { what: 'one more choice', after: changed('spec.b', { ...choice, enum: ['A', 'B', 'C'] }) },
    {
      what: 'a new object with a required field',
      after: {
        ...changed('spec.d', { type: 'object' }),
        'spec.d.e': { type: 'string', required: true as const },
      },
    },
  ])('lets pass $what', ({ after }) => {
    expect(breakingChanges(before, after)).toEqual([])
  })
})
