import { load } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import { customResourceDefinition } from '../../../../src/kubernetes/crd/definitions/crd.ts'
import { crdFiles } from '../../../../src/kubernetes/crd/definitions/crd-files.ts'
import { type KindName, kinds } from '../../../../src/kubernetes/crd/names/group.ts'
import { rulesOf, schemaOf } from './evaluate-rules.ts'
import { type Place, places } from './walk-schema.ts'

/**
 * Client-side `kubectl apply` stores each object as JSON in an annotation, and annotations may have 262,144 bytes in
 * all. Facilitator is 55,000 bytes; the rest is room for fields, and for a second version beside the first. The API
 * server's own limit for a request is 3 MiB.
 */
const MAX_BYTES = 96 * 1024

/** The API server has the schema of these fields. */
const isOurs = ({ path }: Place) => !['apiVersion', 'kind', 'metadata'].includes(path)

type Question = (place: Place) => boolean

const isDescribed: Question = ({ schema, isField }) =>
  !isField || /^[^\s].*[.)]$/.test(schema.description ?? '')

const isBounded: Question = ({ path, schema }) => {
  if (schema['enum'] || schema['format'] === 'date-time') return true
  if (schema['x-kubernetes-int-or-string'] || schema.type === 'string') {
    return schema['maxLength'] !== undefined
  }
  if (schema.type === 'integer') {
    // The API server counts generations, without a maximum.
    const isEndless = path.endsWith('observedGeneration')
    return schema['minimum'] !== undefined && (isEndless || schema['maximum'] !== undefined)
  }
  if (schema.type === 'array') return schema['maxItems'] !== undefined
  return !schema.additionalProperties || schema['maxProperties'] !== undefined
}

const hasListType: Question = ({ schema }) => {
  if (schema.type !== 'array') return true
  const type = schema['x-kubernetes-list-type']
  return type === 'map' ? schema['x-kubernetes-list-map-keys'] !== undefined : type !== undefined
}

/** Nested defaults are filled in only if the object itself has a default. */
const defaultsReach: Question = ({ schema, isField }) => {
  if (!isField) return true
  const fields = Object.values(schema.properties ?? {})
  const hasDefaults = fields.some((field) => field['default'] !== undefined)
  const isMentioned =
    (schema.required ?? []).length > 0 ||
    rulesOf(schema).some(({ reason }) => reason === 'FieldValueRequired')
  return !hasDefaults || isMentioned || schema['default'] !== undefined
}

/** What the API server fills in there belongs to one field manager: for another the same manifest would conflict. */
const hasNoDefaultsInside: Question = ({ schema }) => {
  const isAtomic = ['list-type', 'map-type'].some(
    (word) => schema[`x-kubernetes-${word}`] === 'atomic',
  )
  return (
    !isAtomic ||
    !places(schema).some(({ schema: inner }) => inner !== schema && inner['default'] !== undefined)
  )
}

const patternIsRe2: Question = ({ schema }) =>
  !/\(\?[=!<]|\\[1-9]/.test(String(schema['pattern'] ?? ''))

const neverSaysOf: Question = ({ schema }) =>
  ['$ref', 'oneOf', 'anyOf', 'allOf'].every((word) => schema[word] === undefined)

/** Elsewhere a null is as good as absent. */
const nullRemoves: Question = ({ path, schema }) =>
  schema['nullable'] === undefined || path.startsWith('spec.podTemplate.spec.')

const rulesSayWhatToDo: Question = ({ schema }) =>
  rulesOf(schema).every(({ message, fieldPath }) => {
    const field = fieldPath?.split('.').slice(1) ?? []
    const target = field.reduce<Place['schema'] | undefined>(
      (at, name) => at?.properties?.[name],
      schema,
    )
    return message.length > 10 && target !== undefined
  })

const questions: readonly (readonly [string, Question])[] = [
  ['has a description', isDescribed],
  ['is bounded', isBounded],
  ['says how writers share it, if it is a list', hasListType],
  ['has its defaults filled in without being mentioned', defaultsReach],
  ['has no defaults inside, if it is replaced as a whole', hasNoDefaultsInside],
  ['has a pattern that RE2 understands, if any', patternIsRe2],
  ['is structural', neverSaysOf],
  ['takes null only where a merge reads it', nullRemoves],
  ['has rules that point at fields and speak', rulesSayWhatToDo],
]

describe.each(Object.keys(kinds) as KindName[])('the definition of %s', (kind) => {
  const ours = places(schemaOf(kind)).filter(isOurs)

  test('has many fields', () => {
    expect(ours.length).toBeGreaterThan(50)
  })

  test.each(questions)('everywhere %s', (_what, question) => {
    expect(ours.filter((place) => !question(place)).map(({ path }) => path)).toEqual([])
  })

  test('has names, categories, status, scale, columns and selectable fields', () => {
    const { spec, metadata } = customResourceDefinition(kind)
    const [version] = spec.versions

    expect(metadata.name).toBe(`${spec.names.plural}.x402.svc.dev`)
    expect(spec.names.categories).toEqual(['x402'])
    expect(version?.subresources).toHaveProperty('status')
    expect(version?.subresources).toHaveProperty('scale')
    const always = version?.additionalPrinterColumns.filter(({ priority }) => priority === 0)
    expect(always?.map(({ name }) => name.toUpperCase())).toEqual(
      kind === 'Facilitator'
        ? ['READY', 'REPLICAS', 'NETWORKS', 'URL', 'REASON', 'ROLLOUT', 'PAUSED', 'AGE']
        : ['NETWORK', 'CHANNELS', 'IN USE', 'SPENDABLE', 'READY', 'PAUSED', 'AGE'],
    )
    const isPool = kind === 'ChannelPool'
    expect(version?.selectableFields).toEqual(isPool ? [{ jsonPath: '.spec.network' }] : undefined)
  })

  test('has columns, scale and selectable fields that exist', () => {
    const [version] = customResourceDefinition(kind).spec.versions
    const paths = [
      ...Object.values(version?.subresources.scale ?? {}),
      ...(version?.additionalPrinterColumns ?? []).map(({ jsonPath }) => jsonPath),
      ...(version?.selectableFields ?? []).map(({ jsonPath }) => jsonPath),
    ]
    const known = new Set([
      ...ours.map(({ path }) => path),
      'metadata.creationTimestamp',
      'metadata.annotations.x402\\.svc\\.dev/paused',
    ])

    expect(paths.filter((path) => !known.has(path.slice(1).replace(/\[\?\(.*\)\]/, '[]')))).toEqual(
      [],
    )
  })
})

describe('the files of the definitions', () => {
  test.each(Object.entries(crdFiles()))(
    '%s can be applied by the client, and says what the code says',
    (name, text) => {
      const kind = name.includes('facilitators') ? 'Facilitator' : 'ChannelPool'

      expect(Buffer.byteLength(JSON.stringify(load(text)))).toBeLessThan(MAX_BYTES)
      expect(load(text)).toEqual(JSON.parse(JSON.stringify(customResourceDefinition(kind))))
    },
  )
})

/** Characters of JSON of the largest value, without escapes; no number for a part without a bound. */
function longest(schema: Place['schema']): number {
  const ofMembers = Object.entries(schema.properties ?? {})
    .map(([name, inner]) => name.length + 4 + longest(inner))
    .reduce((sum, each) => sum + each, 2)
  const isFree = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties
  if (isFree) return Number.NaN
  if (schema.type === 'object') return ofMembers
  if (schema.type === 'array') {
    return Number(schema['maxItems']) * ((schema.items ? longest(schema.items) : Number.NaN) + 1)
  }
  if (schema.type !== 'string') return schema['x-kubernetes-int-or-string'] ? 64 : 20
  const names = schema['enum'] as readonly string[] | undefined
  if (names) return Math.max(...names.map((name) => name.length)) + 2
  return schema['format'] === 'date-time' ? 34 : Number(schema['maxLength']) + 2
}

/** The operator holds these parts whole, whatever is in them: `watches/lean.ts`. */
test.each([
  ['ChannelPool', undefined, 60_000],
  ['Facilitator', 'status', 65_000],
  ['Facilitator', 'spec.networks', 40_000],
] as const)('the definition of %s bounds %s to %i characters', (kind, path, characters) => {
  const root = schemaOf(kind)
  const parts = path === undefined ? ['spec', 'status'] : [path]
  const found = places(root).filter((place) => parts.includes(place.path))
  expect(found).toHaveLength(parts.length)
  const length = found.reduce((sum, { schema }) => sum + longest(schema), 0)
  expect(length).toBeGreaterThan(1_000)
  expect(length).toBeLessThan(characters)
})
