import { globSync, readFileSync } from 'node:fs'
import { load, loadAll } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import type { StructuralSchema } from '../../../../src/kubernetes/crd/definitions/structural.ts'
import { API_VERSION, GROUP } from '../../../../src/kubernetes/crd/names/group.ts'
import { facilitatorManifest, type Json, type Manifest } from '../../../support/api/manifests.ts'
import { refusals, schemaOf } from './evaluate-rules.ts'

/* The API server would refuse a manifest that a reader copies from a page, or drop a member of it. */

const root = new URL('../../../../', import.meta.url)
const pages = globSync(['README.md', 'docs/**/*.md', 'charts/*/README.md'], { cwd: root })

interface Block {
  readonly page: string
  readonly text: string
}

const blocks: readonly Block[] = pages.flatMap((page) => {
  const text = readFileSync(new URL(page, root), 'utf8')
  return [...text.matchAll(/^(?<margin> *)```ya?ml\n(?<block>.*?)^ *```/gms)].map(({ groups }) => ({
    page,
    text: (groups?.['block'] ?? '').replaceAll(
      new RegExp(`^${groups?.['margin'] ?? ''}`, 'gm'),
      '',
    ),
  }))
})

const isOurs = (object: unknown): object is Manifest =>
  String(Reflect.get(Object(object), 'apiVersion')).startsWith(`${GROUP}/`)

const specMembers = Object.keys(schemaOf('Facilitator').properties?.['spec']?.properties ?? {})

/** A block that shows a part of the spec of a Facilitator, as a whole manifest. Values of the chart say so. */
function manifestAround(text: string): Manifest | undefined {
  if (text.startsWith('# values.yaml')) return undefined
  const members = Object.keys(Object(load(text)))
  return members.length > 0 && members.every((member) => specMembers.includes(member))
    ? facilitatorManifest(Object(load(text)) as Json)
    : undefined
}

/** Paths of members that the schema does not have. */
function unknownMembers(schema: StructuralSchema, value: unknown, at: string): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) => unknownMembers(schema.items ?? {}, item, `${at}[]`))
  }
  const { properties, additionalProperties } = schema
  if (typeof value !== 'object' || value === null || (additionalProperties && !properties)) {
    return []
  }
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true
  return Object.entries(value).flatMap(([name, member]) => {
    const property = properties?.[name]
    if (property) return unknownMembers(property, member, `${at}.${name}`)
    return keepsUnknown ? [] : [`${at}.${name}`]
  })
}

const problemsOf = (object: Manifest): string[] => {
  const spec = schemaOf(object.kind).properties?.['spec'] ?? {}
  return [...unknownMembers(spec, object.spec, 'spec'), ...refusals({ what: 'it', after: object })]
}

const whole = blocks.flatMap(({ page, text }) =>
  loadAllOf(text)
    .filter(isOurs)
    .map((object) => ({ page, name: `${object.kind} ${object.metadata.name}`, object })),
)
const parts = blocks.flatMap(({ page, text }) => {
  const object = text.includes('apiVersion:') ? undefined : manifestAround(text)
  return object ? [{ page, name: Object.keys(Object(load(text))).join(), object }] : []
})

function loadAllOf(text: string): readonly unknown[] {
  return text.includes(`${GROUP}/`) ? loadAll(text) : []
}

describe('YAML blocks of the pages', () => {
  test.each([...whole, ...parts])('$page: the definitions accept $name', ({ object }) => {
    expect(problemsOf(object)).toEqual([])
  })

  test('have whole manifests and parts of a spec', () => {
    expect(new Set(whole.map(({ page }) => page))).toContain('docs/install.md')
    expect(new Set(parts.map(({ page }) => page))).toContain('docs/facilitators.md')
  })

  test('have the version of the definitions', () => {
    expect(whole.filter(({ object }) => object.apiVersion !== API_VERSION)).toEqual([])
  })

  test('with a member that no definition has are found', () => {
    const spec = { autoscale: { maxReplicas: 4, maximum: 4 }, podTemplate: { spec: { a: 1 } } }
    expect(problemsOf(facilitatorManifest(spec))).toEqual([
      'spec.autoscale.maximum',
      'spec.podTemplate.spec.a',
    ])
  })
})
