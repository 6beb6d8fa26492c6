import { networkIds, variablePrefixes } from '../platform/core/caip2.ts'
import { ConfigError, type Problem } from './parser/config-error.ts'
import type { Variables } from './parser/environment.ts'
import { loadServeConfig, type ServeConfig } from './serve.ts'

/**
 * Reads the environment of `svc facilitator`. It is that of `svc serve`, but requires Postgres, creates
 * no channels unless a variable says so, and leaves the explorer to `svc explorer`. Throws `ConfigError` with every problem.
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
  const environment = { ...variables, ...defaults, EXPLORER_ENABLED: 'false' }
  if (variables['STORE'] !== 'memory') return loadServeConfig(environment, readFile)
  const message = 'must be postgres: replicas share a database; svc serve may use memory'
  const problem = { variable: 'STORE', message }
  throw new ConfigError([problem, ...problemsOf(() => loadServeConfig(environment, readFile))])
}

function problemsOf(load: () => unknown): readonly Problem[] {
  try {
    load()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
