import { deepFreeze } from '../platform/core/language/deep-freeze.ts'
import type { LogLevel } from '../platform/core/log-levels.ts'
import { Environment, type Variables } from './parser/environment.ts'
import { parseSettings, settingsOrThrow } from './parser/settings.ts'
import { serviceSettings } from './rows/service.ts'
import { storeSettings } from './rows/store.ts'
import { type StoreConfig, storeConfig, storeProblems } from './sections/store-settings.ts'

/** The configuration of `svc migrate` and `svc settlements`. */
export interface MigrateConfig {
  readonly logLevel: LogLevel
  readonly store: StoreConfig
}

const migrateSettings = { LOG_LEVEL: serviceSettings.LOG_LEVEL, ...storeSettings }

interface MigrateConfigOptions {
  /** Why the command cannot work on a store in memory. */
  readonly notInMemory?: string
  readonly readFile?: (path: string) => string
}

/** Reads the environment of a command that uses only the database. Throws `ConfigError` with every problem in it. */
export function loadMigrateConfig(
  variables: Variables,
  { notInMemory = 'there is nothing in memory to migrate', readFile }: MigrateConfigOptions = {},
): MigrateConfig {
  const environment = new Environment(variables, readFile)
  const parsed = parseSettings(migrateSettings, (name, options) => environment.read(name, options))
  const settings = settingsOrThrow(parsed, [
    ...parsed.problems,
    ...storeProblems(parsed),
    ...(parsed.settings.STORE === 'memory'
      ? [{ variable: 'STORE', message: `must be postgres: ${notInMemory}` }]
      : []),
  ])
  return deepFreeze({ logLevel: settings.LOG_LEVEL, store: storeConfig(settings) })
}
