import type { SettingsOf, SettingsTable } from '../rows/row.ts'
import { ConfigError, type Problem } from './config-error.ts'
import type { Environment, Setting } from './environment.ts'

export interface ParsedSettings<Table extends SettingsTable> {
  /** The settings that are valid on their own. */
  readonly settings: Partial<SettingsOf<Table>>
  /** The variable under which to report a setting. */
  readonly variable: (name: keyof Table & string) => string
  readonly problems: readonly Problem[]
}

/** Reads every variable of a table and collects all problems. */
export function parseSettings<Table extends SettingsTable>(
  table: Table,
  read: (
    name: string,
    options: { secret: boolean; mayBeEmptyFile: boolean; shared: boolean },
  ) => Setting,
): ParsedSettings<Table> {
  const settings: Record<string, unknown> = {}
  const variables = new Map<string, string>()
  const problems: Problem[] = []
  for (const [name, declared] of Object.entries(table)) {
    const { schema, secret = false, mayBeEmptyFile = false, shared = false } = declared
    const { variable, value, problem } = read(name, { secret, mayBeEmptyFile, shared })
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

/** The complete settings. Throws ConfigError with every problem when there is one. */
export function settingsOrThrow<Table extends SettingsTable>(
  { settings }: ParsedSettings<Table>,
  problems: readonly Problem[],
): SettingsOf<Table> {
  if (problems.length > 0) throw new ConfigError(problems)
  return settings as SettingsOf<Table>
}

/** The settings that may be set for every network at once. */
export const sharedOf = (table: SettingsTable): SettingsTable =>
  Object.fromEntries(Object.entries(table).filter(([, { shared }]) => shared))

/** Problems of the settings for every network, for when it is unknown which networks are meant. */
export const sharedProblems = (
  table: SettingsTable,
  environment: Environment,
): readonly Problem[] =>
  parseSettings(sharedOf(table), (name, options) => environment.read(name, options)).problems
