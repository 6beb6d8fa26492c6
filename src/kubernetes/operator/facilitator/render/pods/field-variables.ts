import type { ResourceField, SettingsTable } from '../../../../../settings/rows/row.ts'

/** Values by variable; one that is undefined is not set. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The variables of the settings that fields of an object set. The definitions of an earlier version may lack fields. */
export const fieldVariables = (table: SettingsTable, object: object): Environment =>
  Object.fromEntries(
    Object.entries(table).flatMap(([variable, { crd }]) =>
      crd ? [[variable, textOf(crd, valueAt(object, crd.path)) ?? crd.unset]] : [],
    ),
  )

function textOf({ text }: ResourceField, value: unknown): string | undefined {
  if (value === undefined) return undefined
  // The row gives the field its type and this function, and the API server checks the type.
  if (text) return text(value as never)
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.join(',')
  return String(value)
}

const valueAt = (object: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), object)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
