import type { z } from 'zod'
import { perNetworkSettings, serveSettings } from '../../../settings/rows/processes.ts'
import type { Row, SettingsTable } from '../../../settings/rows/row.ts'

/** The member of an object at `Place` that a path names, if the path leads no deeper. */
type MemberAt<Path, Place extends string> = Place extends ''
  ? WithoutDot<Path>
  : Path extends `${Place}.${infer Member}`
    ? WithoutDot<Member>
    : never

type WithoutDot<Member> = Member extends `${string}.${string}` ? never : Member & string

type TypeOf<Declared> = Declared extends { readonly crd: { readonly type: infer Type } }
  ? Type
  : Declared extends { readonly field: infer Field extends z.ZodType }
    ? Declared extends { readonly crd: { readonly presence: 'required' } }
      ? Field
      : Declared extends { readonly crd: { readonly presence: 'optional' } }
        ? z.ZodOptional<Field>
        : Declared extends { readonly fieldDefault: unknown }
          ? z.ZodDefault<Field>
          : z.ZodOptional<Field>
    : never

type FieldsAt<Table, Place extends string> = {
  readonly [Name in keyof Table as Table[Name] extends {
    readonly crd: { readonly path: infer Path }
  }
    ? MemberAt<Path, Place>
    : never]: TypeOf<Table[Name]>
}

/** The fields of settings in the object at a path; '' is the object where paths begin. */
const fieldsAt = <Table extends SettingsTable, Place extends string>(table: Table, place: Place) =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, row]) => {
      const dot = row.crd?.path.lastIndexOf('.') ?? -1
      const parent = row.crd?.path.slice(0, Math.max(dot, 0))
      return row.crd && parent === place ? [[row.crd.path.slice(dot + 1), fieldOf(name, row)]] : []
    }),
  ) as FieldsAt<Table, Place>

function fieldOf(name: string, row: Row): z.ZodType {
  const { crd, field, fieldDefault } = row
  const description = crd?.description ?? descriptionOf(row)
  if (crd?.type) return crd.type.describe(description)
  if (!field) throw new TypeError(`${name} has no type of a field: its row must name one`)
  if (crd?.presence === 'required') return field.describe(description)
  if (crd?.presence === 'optional' || fieldDefault === undefined) {
    return field.optional().describe(description)
  }
  return field.default(fieldDefault).describe(description)
}

/** The API server shows no default of a field that it does not fill in. */
const descriptionOf = ({ crd, help, fallback }: Row): string =>
  crd?.presence === 'optional' ? `${help} ${fallback} when absent.` : help

/** The fields of the object at a path from `spec`. */
export const settingFields = <Place extends string>(place: Place) => fieldsAt(serveSettings, place)

/** The fields of the object at a path from an entry of `spec.networks`. */
export const networkFields = <Place extends string>(place: Place) =>
  fieldsAt(perNetworkSettings, place)
