import { z } from 'zod'
import type { Problem } from './config-error.ts'
import type { Variables } from './environment.ts'
import type { NetworkConfig } from './network-settings.ts'
import type { Kind } from './values.ts'

/** The API keys that are accepted; the service knows only their digests. */
export interface ApiKeyConfig {
  /** SHA-256 of each accepted key, 64 lower-case hex digits. */
  readonly digests: readonly string[]
  /** The file they were read from, if any: it may change while the service runs. */
  readonly file?: string
}

const DIGEST_LIST = 'SHA-256 digests in hex with commas or white space between them'

/** Parses the digests in a variable or a file; blank text has none. Undefined when the text holds anything else. */
export function parseDigests(text: string): readonly string[] | undefined {
  if (text.trim() === '') return []
  const digests = text.toLowerCase().split(/[\s,]+/)
  const given = digests.filter((digest) => digest !== '')
  const isValid = given.length > 0 && given.every((digest) => /^[0-9a-f]{64}$/.test(digest))
  return isValid ? [...new Set(given)] : undefined
}

export const digests: Kind<readonly string[]> = {
  schema: z
    .string()
    .transform((text, context) => {
      const read = parseDigests(text)
      if (read) return read
      context.addIssue({ code: 'custom', message: `must be one or more ${DIGEST_LIST}` })
      return z.NEVER
    })
    .optional()
    .transform((read) => read ?? []),
  fallback: 'none',
  range: DIGEST_LIST,
}

/** @param variable the one that the digests were read from */
export function apiKeyConfig(
  read: readonly string[],
  variable: string,
  variables: Variables,
): ApiKeyConfig {
  const file = variable.endsWith('_FILE') ? variables[variable] : undefined
  return file === undefined ? { digests: read } : { digests: read, file }
}

/**
 * A network that requires API keys where none is configured would refuse every caller. An empty file is no problem:
 * with it an administrator withdraws the last key, and a service that starts again must not fail for that.
 *
 * @param variable the one that the digests were read from
 */
export function apiKeyProblems(
  read: readonly string[] | undefined,
  variable: string,
  networks: readonly Pick<NetworkConfig, 'id' | 'requireApiKey'>[],
): Problem[] {
  const keyed = networks.find(({ requireApiKey }) => requireApiKey)
  const isConfigured = variable.endsWith('_FILE') || (read !== undefined && read.length > 0)
  if (read === undefined || isConfigured || !keyed) return []
  return [{ variable: 'API_KEY_SHA256', message: `is required: ${keyed.id} requires API keys` }]
}
