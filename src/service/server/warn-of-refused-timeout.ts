import type { Logger } from '../../platform/telemetry/logs/logger.ts'

export const warnOfRefusedTimeout = (log: Logger): void =>
  log.warn(
    "The connection pooler of DATABASE_URL refuses the statement time-out: set statement_timeout of the database's role",
  )
