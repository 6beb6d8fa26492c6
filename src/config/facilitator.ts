import { networkIds, variablePrefixes } from '../core/caip2.ts'
import { ConfigError } from './config-error.ts'
import type { Variables } from './environment.ts'
import { loadServeConfig, type ServeConfig } from './serve.ts'

/**
 * Reads the environment of `svc facilitator`: that of `svc serve`, but replicas share one database, and
 * none creates channels unless it is told to. Throws `ConfigError` with every problem in it.
 */
export function loadFacilitatorConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): ServeConfig {
  const unless = Object.fromEntries(
    networkIds.map((id) => {
      const name = `${variablePrefixes[id]}AUTO_PROVISION_CHANNELS`
      return [name, variables[name] || 'false']
    }),
  )
  const config = loadServeConfig({ ...variables, ...unless }, readFile)
  if (config.store.kind === 'postgres') return config
  const message = 'must be postgres: replicas share what they know; svc serve may do without'
  throw new ConfigError([{ variable: 'STORE', message }])
}
