import { describe, expect, test } from 'vitest'
import { customResourceDefinition } from '../../../../src/kubernetes/crd/definitions/crd.ts'
import type { StructuralSchema } from '../../../../src/kubernetes/crd/definitions/structural.ts'
import { perNetworkSettings, serveSettings } from '../../../../src/settings/rows/processes.ts'
import type { Row, SettingsTable } from '../../../../src/settings/rows/row.ts'

const spec =
  customResourceDefinition('Facilitator').spec.versions[0]?.schema.openAPIV3Schema.properties?.[
    'spec'
  ]

const withFields = (table: SettingsTable, from: StructuralSchema | undefined) =>
  Object.entries(table).flatMap(([variable, row]) =>
    row.crd ? [{ variable, row, path: row.crd.path, from }] : [],
  )

const rows = [
  ...withFields(serveSettings, spec),
  ...withFields(perNetworkSettings, spec?.properties?.['networks']?.items),
]

const at = (schema: StructuralSchema | undefined, path: string): StructuralSchema | undefined =>
  path.split('.').reduce((node, name) => node?.properties?.[name], schema)

const textOf = ({ crd }: Row, value: unknown): string => {
  if (crd?.text) return crd.text(value as never)
  return Array.isArray(value) ? value.join(',') : String(value)
}

describe('the field of a setting', () => {
  test.each(rows)('$path is in the definition, with a description', ({ row, path, from }) => {
    const { description } = at(from, path) ?? {}
    expect(description?.startsWith(row.crd?.description ?? row.help)).toBe(true)
  })

  // An empty list sets no variable.
  const bounded = rows.flatMap(({ variable, row, path, from }) => {
    const { default: byDefault, minimum, maximum } = at(from, path) ?? {}
    const values = [byDefault, minimum, maximum].filter(
      (value) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    )
    return values.map((value) => ({ variable, row, value }))
  })

  test.each(bounded)('$variable takes its default and its bounds: $value', ({ row, value }) => {
    expect(row.schema.safeParse(textOf(row, value)).error).toBeUndefined()
  })
})
