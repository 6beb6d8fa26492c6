import { load } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { structuralSchema } from '../../../../src/kubernetes/crd/definitions/structural.ts'
import { toYaml } from '../../../../src/kubernetes/crd/definitions/yaml.ts'
import { durationMs } from '../../../../src/kubernetes/crd/fields/duration.ts'
import { childName } from '../../../../src/kubernetes/crd/names/child-name.ts'
import { isMarked } from '../../../../src/kubernetes/crd/names/marks.ts'

describe('childName', () => {
  test.each([
    { owner: 'pay', suffix: 'catalog', name: 'pay-catalog' },
    { owner: 'pay', suffix: '', name: 'pay' },
    { owner: 'a'.repeat(55), suffix: 'catalog', name: `${'a'.repeat(55)}-catalog` },
  ])('puts $suffix behind $owner', ({ owner, suffix, name }) => {
    expect(childName(owner, suffix)).toBe(name)
  })

  test.each(['catalog', ''])(
    'cuts a long name, ends it with "%s" and keeps it unique',
    (suffix) => {
      const one = childName(`${'a'.repeat(70)}b`, suffix)
      const other = childName(`${'a'.repeat(70)}c`, suffix)

      expect(one).toHaveLength(63)
      expect(one).toMatch(suffix === '' ? /^a+-[0-9a-f]{8}$/ : /^a+-[0-9a-f]{8}-catalog$/)
      expect(one).not.toBe(other)
      expect(childName(`${'a'.repeat(70)}b`, suffix)).toBe(one)
    },
  )

  test('never ends the cut part with a dash, which labels do not allow', () => {
    expect(childName(`${'a'.repeat(45)}${'-'.repeat(17)}b`, 'catalog')).toMatch(
      /^a{45}-[0-9a-f]{8}-catalog$/,
    )
  })

  test('throws for a suffix that is too long', () => {
    expect(() => childName('a'.repeat(20), 'b'.repeat(54))).toThrow(RangeError)
  })
})

describe('durationMs', () => {
  test.each([
    { text: '250ms', ms: 250 },
    { text: '10s', ms: 10_000 },
    { text: '5m', ms: 300_000 },
    { text: '1h', ms: 3_600_000 },
  ])('reads $text', ({ text, ms }) => {
    expect(durationMs(text)).toBe(ms)
  })

  test.each(['', '10', '0s', '1.5s', '1h30m', '-1s', '10 s'])('does not read "%s"', (text) => {
    expect(() => durationMs(text)).toThrow(RangeError)
  })
})

describe('isMarked', () => {
  test.each([
    { annotations: undefined, marked: false },
    { annotations: { 'x402.svc.dev/paused': 'false' }, marked: false },
    { annotations: { 'x402.svc.dev/skip-cleanup': 'true' }, marked: false },
    { annotations: { 'x402.svc.dev/paused': 'true' }, marked: true },
  ])('says $marked of $annotations', ({ annotations, marked }) => {
    expect(isMarked({ kind: 'ChannelPool', metadata: { annotations } }, 'paused')).toBe(marked)
  })
})

describe('toYaml', () => {
  test.each([
    { a: 1, b: [true, null, 'x'], c: {}, d: [] },
    {
      text: [
        'yes',
        'No',
        'null',
        '1',
        '1e3',
        'a: b',
        '- a',
        '#',
        '',
        ' a',
        'a\nb',
        '2026-01-01',
        '~',
      ],
    },
    { nested: [{ b: [{ c: 1 }], a: { d: [[1, 2], []] } }] },
    { 'odd key:': 1, '@': 2, '': 3 },
  ])('writes what any parser reads back: %j', (document) => {
    expect(load(toYaml(document))).toEqual(document)
    expect(load(toYaml(document, { flowColumns: 120 }))).toEqual(document)
  })

  test('writes a list or object of plain values on one line where it fits, below the first level', () => {
    const document = { a: { d: 'text: x', c: [1, true] }, b: ['y'], e: [{ f: 1 }, { f: [2] }] }

    expect(toYaml(document, { flowColumns: 16 })).toBe(
      'a:\n  c: [1, true]\n  d: "text: x"\nb:\n  - "y"\ne:\n  - { f: 1 }\n  - f: [2]\n',
    )
    expect(toYaml({ a: { list: ['one', 'two'] } }, { flowColumns: 17 })).toBe(
      'a:\n  list:\n    - one\n    - two\n',
    )
  })

  test('does not depend on the order of members', () => {
    expect(toYaml({ b: 1, a: { d: 1, c: 2 } })).toBe(toYaml({ a: { c: 2, d: 1 }, b: 1 }))
  })
})

describe('structuralSchema', () => {
  test('gives integers a format, and drops the bounds of JavaScript', () => {
    const schema = structuralSchema(z.object({ a: z.int(), b: z.int().min(1).max(5) }))

    expect(schema.properties).toEqual({
      a: { type: 'integer', format: 'int64' },
      b: { type: 'integer', format: 'int32', minimum: 1, maximum: 5 },
    })
  })

  test('requires fields without a default', () => {
    const schema = structuralSchema(
      z.object({ a: z.string(), b: z.string().default('x'), c: z.string().optional() }),
    )

    expect(schema.required).toEqual(['a'])
  })

  test.each([
    { what: 'a union of objects', type: z.union([z.object({ a: z.string() }), z.object({})]) },
    { what: 'a tuple', type: z.tuple([z.string()]) },
    { what: 'a value below another', type: z.int().gt(1).lt(3) },
  ])('refuses $what', ({ type }) => {
    expect(() => structuralSchema(z.object({ it: type }))).toThrow(TypeError)
  })
})
