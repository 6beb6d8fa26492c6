import { stdSerializers } from 'pino'

/**
 * Members in which errors of libraries quote their input: Postgres puts the refused row, with the
 * envelope, into `detail`; Node puts an invalid URL, with its password, into `input`.
 */
const quotingMembers: ReadonlySet<string> = new Set(['detail', 'input', 'parameters'])

/** An error as a log line shows it: type, message, stack with causes, and its other members. */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const shown = Object.entries(stdSerializers.err(error))
  return Object.fromEntries(shown.filter(([member]) => !quotingMembers.has(member)))
}
