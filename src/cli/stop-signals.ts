/** Exit code of a process that a second Ctrl-C ended: 128 + SIGINT. */
const INTERRUPTED = 130

export interface StopSignals extends Disposable {
  /** Resolves with the name of the first signal. */
  readonly received: Promise<NodeJS.Signals>
}

/** Listens for SIGTERM and SIGINT; the second one ends the process where it stands. */
export function stopSignals(): StopSignals {
  let isStopping = false
  const { promise: received, resolve } = Promise.withResolvers<NodeJS.Signals>()
  const onSignal = (name: NodeJS.Signals) => {
    if (isStopping) process.exit(INTERRUPTED)
    isStopping = true
    resolve(name)
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return {
    received,
    [Symbol.dispose]: () => {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    },
  }
}
