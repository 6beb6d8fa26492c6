import type { z } from 'zod'
import { type Leaf, type Nested, nested } from './nested.ts'

/** The values that a variable can have. */
export interface Kind<T> {
  /** Parses the text of the variable, undefined when it is unset. */
  readonly schema: z.ZodType<T>
  /** Texts for the documentation: the value of an unset variable, and the allowed values. */
  readonly fallback: string
  readonly range: string
}

/** A kind that a field of a Kubernetes resource can have too, with the same bounds. */
export interface WithField<T, Field extends z.ZodType> extends Kind<T> {
  readonly field: Field
}

/** The same, with the default of the variable. */
export interface WithDefault<T, Field extends z.ZodType> extends WithField<T, Field> {
  readonly fieldDefault: z.output<Field>
}

/** A field of a Facilitator. */
export interface ResourceField {
  /** The path from `spec`; for a setting of each network, from its entry in `spec.networks`. */
  readonly path: string
  /** The row's help when absent. */
  readonly description?: string
  /** The type of the field. @default the type of the row's kind, with its default */
  readonly type?: z.ZodType
  /** `optional`: the API server fills in no default; the one of the variable holds. */
  readonly presence?: 'optional' | 'required'
  /** The text of the variable for a value of the field; that of JavaScript when absent, of a list with commas. */
  readonly text?: (value: never) => string
  /** The text of the variable where the field is unset; without, the variable is unset too. */
  readonly unset?: string
}

/** One setting: its variable is the name of the row in its table. */
export interface Row extends Kind<unknown> {
  readonly help: string
  /** The value may also be in a file whose path is in the variable with `_FILE` after its name. */
  readonly secret?: boolean
  /** An empty file is a value: the empty text. Of other settings it is a mistake. */
  readonly mayBeEmptyFile?: boolean
  /** Whether a network's setting may also be set without the prefix, for every network. */
  readonly shared?: boolean
  /** Its place in the configuration, with dots between members; the variable's name in camelCase when absent, none when false. */
  readonly member?: string | false
  /** The commands that read it besides `svc serve` and `svc facilitator`, for a setting of the service itself. */
  readonly alsoReadBy?: readonly OtherProcess[]
  /** The field by which Kubernetes users set it. */
  readonly crd?: ResourceField
  readonly field?: z.ZodType
  readonly fieldDefault?: unknown
  /** False: it decides neither whether a process reaches its database, networks and sponsor nor whether any payment can be made. */
  readonly preflight?: false
}

export type OtherProcess = 'catalog' | 'explorer'

/** Rows by the name of their variable. */
export type SettingsTable = Readonly<Record<string, Row>>

/** A table whose members, processes and fields the types know. */
export const settingsTable = <const Table extends SettingsTable>(rows: Table): Table => rows

export type SettingsOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: z.output<Table[Name]['schema']>
}

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>

type MemberOf<Name, Declared> = Declared extends { readonly member: infer Member }
  ? Member & string
  : CamelCase<Name & string>

/** The configuration that the settings of a table make. */
export type MembersOf<Table extends SettingsTable> = Nested<{
  readonly [Name in keyof Table as MemberOf<Name, Table[Name]>]: z.output<Table[Name]['schema']>
}>

/** The settings of a table as members of a configuration; the loader of a command adds what is made of several. */
export function membersOf<Table extends SettingsTable>(
  table: Table,
  settings: SettingsOf<Table>,
): MembersOf<Table> {
  const leaves = Object.entries(table).flatMap(([name, { member }]): Leaf[] =>
    member === false ? [] : [[member ?? camelCase(name), settings[name]]],
  )
  return nested(leaves) as MembersOf<Table>
}

const camelCase = (name: string): string =>
  name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
