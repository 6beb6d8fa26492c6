import type { ApiKeyEntry } from '../../platform/core/api-key-entry.ts'
import type { Problem } from '../parser/config-error.ts'
import type { Variables } from '../parser/environment.ts'
import type { NetworkConfig } from './network-settings.ts'

/** The API keys that are accepted; the service knows only their digests. */
export interface ApiKeyConfig {
  readonly entries: readonly ApiKeyEntry[]
  /** The file they were read from, if any: it may change while the service runs. */
  readonly file?: string
}

/** @param variable the one that the digests were read from */
export function apiKeyConfig(
  entries: readonly ApiKeyEntry[],
  variable: string,
  variables: Variables,
): ApiKeyConfig {
  const file = variable.endsWith('_FILE') ? variables[variable] : undefined
  return file === undefined ? { entries } : { entries, file }
}

/**
 * A network that requires API keys where none is configured would refuse every caller. An empty file is no problem:
 * with it an administrator withdraws the last key, and a service that starts again must not fail for that.
 *
 * @param variable the one that the digests were read from
 */
export function apiKeyProblems(
  read: readonly ApiKeyEntry[] | undefined,
  variable: string,
  networks: readonly Pick<NetworkConfig, 'id' | 'requireApiKey'>[],
): Problem[] {
  const keyed = networks.find(({ requireApiKey }) => requireApiKey)
  const isConfigured = variable.endsWith('_FILE') || (read !== undefined && read.length > 0)
  if (read === undefined || isConfigured || !keyed) return []
  return [{ variable: 'API_KEY_SHA256', message: `is required: ${keyed.id} requires API keys` }]
}
