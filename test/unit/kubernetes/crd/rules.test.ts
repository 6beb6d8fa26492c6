import { describe, expect, test } from 'vitest'
import type { StructuralSchema } from '../../../../src/kubernetes/crd/definitions/structural.ts'
import type { KindName } from '../../../../src/kubernetes/crd/names/group.ts'
import { ruleCases } from '../../../support/api/rule-cases.ts'
import { refusals, rulesOf, schemaOf } from './evaluate-rules.ts'

const kinds: readonly KindName[] = ['Facilitator', 'ChannelPool']

function allRules(schema: StructuralSchema, at = ''): string[] {
  return [
    ...rulesOf(schema).map(({ message }) => `${at}: ${message}`),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      allRules(property, at === '' ? name : `${at}.${name}`),
    ),
    ...(schema.items ? allRules(schema.items, `${at}[]`) : []),
  ]
}

describe('the table of rules', () => {
  test.each(kinds)('has only rules of %s', (kind) => {
    const cases = ruleCases.filter((each) => each.kind === kind)
    const rules = new Set(allRules(schemaOf(kind)))

    expect(
      cases.map(({ at, message }) => `${at}: ${message}`).filter((each) => !rules.has(each)),
    ).toEqual([])
    for (const { accepted, refused } of cases) {
      expect(accepted.length).toBeGreaterThan(0)
      expect(refused.length).toBeGreaterThan(0)
    }
  })
})

describe.each(ruleCases)('$kind $at: $message', ({ at, message, accepted, refused }) => {
  test.each(accepted)('accepts $what', (write) => {
    expect(refusals(write)).toEqual([])
  })

  test.each(refused)('refuses $what', (write) => {
    expect(refusals(write)).toEqual([`${at}: ${message}`])
  })
})
