import type { Logger } from './logs/logger.ts'
import type { Metrics } from './metrics/metrics.ts'

interface ErrorSinks {
  readonly log: Pick<Logger, 'warn'>
  readonly metrics: Pick<Metrics, 'backgroundErrors'>
}

/**
 * Counts and logs the errors of a background task, whose next round tries again.
 * @param facts further members of the log line
 */
export const onBackgroundError =
  ({ log, metrics }: ErrorSinks, task: string, message: string, facts: object = {}) =>
  (error: unknown): void => {
    metrics.backgroundErrors.inc({ task })
    log.warn({ err: error, ...facts }, message)
  }
