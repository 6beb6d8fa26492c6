import { z } from 'zod'
import type { Problem } from './config-error.ts'
import type { Variables } from './environment.ts'
import type { NetworkConfig } from './network-settings.ts'
import type { Kind } from './values.ts'

/** The keys that callers may show, of which only digests are known. */
export interface ApiKeyConfig {
  /** SHA-256 of each accepted key, 64 lower-case hex digits. */
  readonly digests: readonly string[]
  /** The file they stand in, when they do: it may change while the service runs. */
  readonly file?: string
}

const DIGEST_LIST = 'SHA-256 digests in hex with commas or white space between them'

/** Reads digests off a variable or a file. Undefined when one is malformed or there is none. */
export function parseDigests(text: string): readonly string[] | undefined {
  const digests = text.toLowerCase().split(/[\s,]+/)
  const given = digests.filter((digest) => digest !== '')
  const isFit = given.length > 0 && given.every((digest) => /^[0-9a-f]{64}$/.test(digest))
  return isFit ? [...new Set(given)] : undefined
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

/** `variable` is where the digests came from. */
export function apiKeyConfig(
  read: readonly string[],
  variable: string,
  variables: Variables,
): ApiKeyConfig {
  const file = variable.endsWith('_FILE') ? variables[variable] : undefined
  return file === undefined ? { digests: read } : { digests: read, file }
}

/** A network that asks for keys where none is known would refuse everybody. */
export function apiKeyProblems(
  read: readonly string[] | undefined,
  networks: readonly Pick<NetworkConfig, 'id' | 'requireApiKey'>[],
): Problem[] {
  const asking = networks.find(({ requireApiKey }) => requireApiKey)
  if (read === undefined || read.length > 0 || !asking) return []
  return [{ variable: 'API_KEY_SHA256', message: `is required: ${asking.id} asks for a key` }]
}
