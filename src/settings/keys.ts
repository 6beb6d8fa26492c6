import type { ApiKeyEntry } from '../platform/core/api-key-entry.ts'
import { deepFreeze } from '../platform/core/language/deep-freeze.ts'
import { Environment, type Variables } from './parser/environment.ts'
import { parseSettings, settingsOrThrow } from './parser/settings.ts'
import { serviceSettings } from './rows/service.ts'
import { storeSettings } from './rows/store.ts'
import { type StoreConfig, storeConfig, storeProblems } from './sections/store-settings.ts'

/** The configuration of `svc keys list`: the API keys of the service, and its store. */
export interface KeysConfig {
  readonly entries: readonly ApiKeyEntry[]
  readonly store: StoreConfig
}

const keysSettings = { API_KEY_SHA256: serviceSettings.API_KEY_SHA256, ...storeSettings }

/** Reads the environment of `svc keys list`. Throws `ConfigError` with every problem in it. */
export function loadKeysConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): KeysConfig {
  const environment = new Environment(variables, readFile)
  const parsed = parseSettings(keysSettings, (name, options) => environment.read(name, options))
  const settings = settingsOrThrow(parsed, [...parsed.problems, ...storeProblems(parsed)])
  return deepFreeze({ entries: settings.API_KEY_SHA256, store: storeConfig(settings) })
}
