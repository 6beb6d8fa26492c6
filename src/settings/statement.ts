import { deepFreeze } from '../platform/core/language/deep-freeze.ts'
import { Environment, type Variables } from './parser/environment.ts'
import { parseSettings, settingsOrThrow } from './parser/settings.ts'
import { serviceSettings } from './rows/service.ts'
import { storeSettings } from './rows/store.ts'
import { type StoreConfig, storeConfig, storeProblems } from './sections/store-settings.ts'

/** The configuration of `svc statement`. */
export interface StatementConfig {
  readonly store: StoreConfig
  /** How long the service keeps ended settlements; absent: for ever. */
  readonly settlementRetentionDays?: number | undefined
}

const statementSettings = {
  SETTLEMENT_RETENTION_DAYS: serviceSettings.SETTLEMENT_RETENTION_DAYS,
  ...storeSettings,
}

/** Reads the environment of `svc statement`. Throws `ConfigError` with every problem in it. */
export function loadStatementConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): StatementConfig {
  const environment = new Environment(variables, readFile)
  const parsed = parseSettings(statementSettings, (name, options) =>
    environment.read(name, options),
  )
  const settings = settingsOrThrow(parsed, [
    ...parsed.problems,
    ...storeProblems(parsed),
    ...(parsed.settings.STORE === 'memory'
      ? [
          {
            variable: 'STORE',
            message:
              'must be postgres: settlements in memory are known only to the running service, at /usage/statement',
          },
        ]
      : []),
  ])
  return deepFreeze({
    store: storeConfig(settings),
    settlementRetentionDays: settings.SETTLEMENT_RETENTION_DAYS,
  })
}
