import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'
import type { LogLevel } from '../../core/log-levels.ts'
import { humanLines } from './human-lines.ts'
import { logFields } from './log-scope.ts'

export type { Logger } from 'pino'

export interface LoggerOptions {
  level?: LogLevel
  /** Gets the JSON lines. @default standard output, as text for people when that is a terminal */
  destination?: DestinationStream
  /** Whether standard output is a terminal. @default as it says of itself, which it does not in a thread */
  isTerminal?: boolean
}

const secretMembers = [
  'sponsorSecret',
  'previousSponsorSecret',
  'nextSponsorSecret',
  'secret',
  'envelopeXdr',
  'authorization',
] as const

const redactedPaths = [
  ...secretMembers.flatMap((member) => [member, `*.${member}`]),
  // A transaction at the top level of a line is a hash, which is public; a nested one is an envelope.
  '*.transaction',
  '["x-api-key"]',
  '*["x-api-key"]',
  '*.headers.authorization',
  '*.headers["x-api-key"]',
]

/**
 * JSON lines, object first and sentence second: `logger.info({ network }, 'Channel created')`. Each
 * names the request and the settlement it belongs to. Secrets are removed by member name at the top
 * level and one level down; the caller must not log them any deeper.
 */
export function createLogger({
  level = 'info',
  destination,
  isTerminal = process.stdout.isTTY,
}: LoggerOptions = {}): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' },
    serializers: { err: loggedError },
    // A copy: pino writes the line's own members into it.
    mixin: () => ({ ...logFields() }),
  }
  const chosen = destination ?? (isTerminal ? humanLines(process.stdout) : undefined)
  return chosen === undefined ? pino(options) : pino(options, chosen)
}

/**
 * Members in which errors of libraries quote their input: Postgres puts the refused row, with the
 * envelope, into `detail`; Node puts an invalid URL, with its password, into `input`.
 */
const quotingMembers: ReadonlySet<string> = new Set(['detail', 'input', 'parameters'])

/** An error as a log line shows it: type, message, stack with causes, and its other members. */
function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const shown = Object.entries(stdSerializers.err(error))
  return Object.fromEntries(shown.filter(([member]) => !quotingMembers.has(member)))
}
