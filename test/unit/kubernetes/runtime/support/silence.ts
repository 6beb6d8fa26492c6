import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'

export const silentLogger = createLogger({ level: 'silent' })

/** In the middle of every jitter. */
export const half = (): number => 0.5
