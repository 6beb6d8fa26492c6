import { networkIds, variablePrefixes } from '../core/caip2.ts'
import { ConfigError } from './config-error.ts'
import type { Variables } from './environment.ts'
import { loadServeConfig, type ServeConfig } from './serve.ts'

/**
 * Reads the environment of `svc facilitator`. It is that of `svc serve`, but requires Postgres, and creates
 * no channels unless a variable says so. Throws `ConfigError` with every problem.
 */
export function loadFacilitatorConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): ServeConfig {
  const defaults = Object.fromEntries(
    networkIds.map((id) => {
      const name = `${variablePrefixes[id]}AUTO_PROVISION_CHANNELS`
      return [name, variables[name] || 'false']
    }),
  )
  const config = loadServeConfig({ ...variables, ...defaults }, readFile)
  if (config.store.kind === 'postgres') return config
  const message = 'must be postgres: replicas share a database; svc serve may use memory'
  throw new ConfigError([{ variable: 'STORE', message }])
}
