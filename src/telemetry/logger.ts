import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from '../core/log-levels.ts'

export type { Logger } from 'pino'

export interface LoggerOptions {
  level?: LogLevel
  /** Where the JSON lines go; standard output when absent. */
  destination?: DestinationStream
}

const secretMembers = ['sponsorSecret', 'secret', 'envelopeXdr', 'authorization'] as const

const redactedPaths = [
  ...secretMembers.flatMap((member) => [member, `*.${member}`]),
  // A transaction at the top level of a line is a hash, which is public; a nested one is an envelope.
  '*.transaction',
  'headers["x-api-key"]',
  '*.headers.authorization',
  '*.headers["x-api-key"]',
]

/**
 * JSON lines, object first and sentence second: `logger.info({ network }, 'Channel created')`.
 * Secrets are cut out by member name at the top level and one level down; whatever is logged
 * deeper must be picked apart by the caller.
 */
export function createLogger({ level = 'info', destination }: LoggerOptions = {}): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}
