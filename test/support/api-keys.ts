import { createHash } from 'node:crypto'
import { systemClock } from '../../src/platform/core/time/clock.ts'
import { ApiKeys } from '../../src/platform/http/access/api-keys.ts'

/** SHA-256 in hex. */
export const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex')

/** These API keys, accepted for ever. */
export const acceptedKeys = (...keys: readonly string[]): ApiKeys =>
  new ApiKeys(
    systemClock,
    keys.map((key) => ({ digest: digestOf(key) })),
  )
