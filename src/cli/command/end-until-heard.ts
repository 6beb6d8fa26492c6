import type { EventEmitter } from 'node:events'

/**
 * Calls `end` at SIGTERM while no command listens for the signal itself. The kernel ignores it for the first process of a
 * container, which has no handler while it loads: a pod that was stopped meanwhile took its whole grace period.
 */
export function endUntilHeard(signals: EventEmitter, end: () => void): void {
  signals.on('SIGTERM', () => {
    if (signals.listenerCount('SIGTERM') === 1) end()
  })
}
