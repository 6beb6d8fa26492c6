import { z } from 'zod'
import { type ApiKeyEntry, parseApiKeys } from '../../platform/core/api-key-entry.ts'
import type { Kind } from './row.ts'

const DIGEST_LIST = 'SHA-256 digests in hex with commas or white space between them'

export const apiKeyEntries: Kind<readonly ApiKeyEntry[]> = {
  schema: z
    .string()
    .transform((text, context) => {
      const parsed = parseApiKeys(text)
      if (parsed.ok) return parsed.entries
      const message = `must be one or more ${DIGEST_LIST}: ${parsed.problem}`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .optional()
    .transform((entries) => entries ?? []),
  fallback: 'none',
  range: `${DIGEST_LIST}, each alone or with \`;name=<name>\`, \`;from=<time>\`, \`;until=<time>\` after it`,
}
