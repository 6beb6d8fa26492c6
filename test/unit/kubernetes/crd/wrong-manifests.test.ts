import { describe, expect, test } from 'vitest'
import { customResourceDefinition } from '../../../../src/kubernetes/crd/definitions/crd.ts'
import { facilitatorReasons } from '../../../../src/kubernetes/crd/facilitator/conditions.ts'
import { rulesOf } from '../../../support/api/wrong/rule-messages.ts'
import { wrongManifests } from '../../../support/api/wrong/wrong-manifests.ts'
import { schemaOf } from './evaluate-rules.ts'
import { places } from './walk-schema.ts'

const rows = [...wrongManifests.values()].flat()
const kinds = ['Facilitator', 'ChannelPool'] as const

describe('N9, N10: the table of wrong manifests', () => {
  test('has more than 500 rows, each once, and names what refuses each', () => {
    const written = rows.map(({ manifest: { kind, spec, metadata }, before }) =>
      JSON.stringify([kind, spec, before?.spec, /^row-/.test(metadata.name) ? '' : metadata.name]),
    )
    expect(rows.length).toBeGreaterThan(500)
    expect(new Set(written).size).toBe(written.length)
    const known = new Set(['schema', 'rule', ...Object.keys(facilitatorReasons)])
    expect(rows.filter(({ by, says }) => !known.has(by) || says === '')).toEqual([])
  })

  test.each(kinds)('has a row for each rule of %s', (kind) => {
    const refused = new Set(
      rows
        .filter(({ by, manifest }) => by === 'rule' && manifest.kind === kind)
        .map(({ at = '', says }) => `${at.replaceAll(/\[[^\]]*\]/g, '[]')}: ${says}`),
    )
    const rules = rulesOf(kind).map(({ at, message }) => `${at}: ${message}`)

    expect(rules.filter((rule) => !refused.has(rule))).toEqual([])
  })
})

test.each(kinds)('N10: no field of the spec of %s has a pattern, which is shown bare', (kind) => {
  const ofSpec = places(schemaOf(kind)).filter(({ path }) => path.startsWith('spec'))

  expect(ofSpec.length).toBeGreaterThan(20)
  expect(ofSpec.filter(({ schema }) => schema['pattern'] !== undefined)).toEqual([])
  expect(JSON.stringify(customResourceDefinition(kind).spec)).toContain('x-kubernetes-validations')
})
