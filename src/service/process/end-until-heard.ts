import type { EventEmitter } from 'node:events'

/**
 * Calls `end` at SIGTERM and SIGINT while no command listens for the signal itself. Without a handler SIGINT would end a command that
 * loads without a word; and the kernel ignores SIGTERM for the first process of a container: a pod that was stopped meanwhile took
 * its whole grace period. Node loads modules in one go, so most signals of that time reach the command that they loaded.
 */
export function endUntilHeard(signals: EventEmitter, end: (name: NodeJS.Signals) => void): void {
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    signals.on(name, () => {
      if (signals.listenerCount(name) === 1) end(name)
    })
  }
}
