import type { z } from 'zod'
import { ConfigError, type Problem } from './config-error.ts'
import type { Setting } from './environment.ts'
import type { Kind } from './values.ts'

/** One variable: what it may hold, and what it is for. */
export interface Declared extends Kind<unknown> {
  readonly help: string
  /** May also stand in a file that the variable with `_FILE` after its name points to. */
  readonly secret?: boolean
  /** Of a network's settings: may also be given once, without a prefix, for every network. */
  readonly shared?: boolean
}

/** A command's variables by name. */
export type SettingsTable = Readonly<Record<string, Declared>>

export type SettingsOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: z.output<Table[Name]['schema']>
}

export interface ParsedSettings<Table extends SettingsTable> {
  /** The settings that are valid on their own. */
  readonly settings: Partial<SettingsOf<Table>>
  /** The variable under which to report a setting. */
  readonly variable: (name: keyof Table & string) => string
  readonly problems: readonly Problem[]
}

/** Reads every variable of a table, so that all problems come to light at once. */
export function parseSettings<Table extends SettingsTable>(
  table: Table,
  read: (name: string, options: { secret: boolean; shared: boolean }) => Setting,
): ParsedSettings<Table> {
  const settings: Record<string, unknown> = {}
  const variables = new Map<string, string>()
  const problems: Problem[] = []
  for (const [name, { schema, secret = false, shared = false }] of Object.entries(table)) {
    const { variable, value, problem } = read(name, { secret, shared })
    variables.set(name, variable)
    if (problem !== undefined) {
      problems.push({ variable, message: problem })
      continue
    }
    const parsed = schema.safeParse(value)
    if (parsed.success) settings[name] = parsed.data
    else problems.push(...parsed.error.issues.map(({ message }) => ({ variable, message })))
  }
  return {
    settings: settings as Partial<SettingsOf<Table>>,
    variable: (name) => variables.get(name) ?? name,
    problems,
  }
}

/** The settings, complete, or every problem thrown at once. */
export function settingsOrThrow<Table extends SettingsTable>(
  { settings }: ParsedSettings<Table>,
  problems: readonly Problem[],
): SettingsOf<Table> {
  if (problems.length > 0) throw new ConfigError(problems)
  return settings as SettingsOf<Table>
}
