import { stdSerializers } from 'pino'

/**
 * Members in which errors of libraries carry what they stumbled over: Postgres puts the refused row
 * into `detail`, envelope and all; Node puts an invalid URL, password and all, into `input`.
 */
const tellTale: ReadonlySet<string> = new Set(['detail', 'input', 'parameters'])

/** An error as a line shows it: type, message, stack with causes, and what else it carries. */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const shown = Object.entries(stdSerializers.err(error))
  return Object.fromEntries(shown.filter(([member]) => !tellTale.has(member)))
}
