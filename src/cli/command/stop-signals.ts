import { constants } from 'node:os'
import { INTERRUPTED } from './exit-codes.ts'

/** Why a command stops: the process received SIGTERM or SIGINT. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
  readonly signal: NodeJS.Signals

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`)
    this.signal = signal
  }
}

export interface StopSignals extends Disposable {
  /** Aborts at the first SIGTERM or SIGINT; its reason is a `Stopped`. */
  readonly stop: AbortSignal
}

/** Listens for SIGTERM and SIGINT. The second one ends the process at once, with exit code 130. */
export function listenForStop(): StopSignals {
  const stopping = new AbortController()
  const onSignal = (name: NodeJS.Signals) => {
    if (stopping.signal.aborted) process.exit(INTERRUPTED)
    stopping.abort(new Stopped(name))
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return {
    stop: stopping.signal,
    [Symbol.dispose]: () => {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    },
  }
}

/**
 * For a command that need not end anything in order: SIGTERM and SIGINT end the process at once, with 128 and the number of the
 * signal. That is what signals do anyway, except to the first process of a container: the kernel gives it none that it does not
 * listen for, and the kubelet would kill it 30 s later.
 */
export function endOnSignals(command: string): Disposable {
  const onSignal = (name: NodeJS.Signals) => {
    process.stderr.write(`svc ${command}: stopped by ${name} before it was done\n`)
    process.exit(128 + constants.signals[name])
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return {
    [Symbol.dispose]: () => {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    },
  }
}

/** Resolves with the name of the signal once `stop` aborts. */
export function stopped(stop: AbortSignal): Promise<NodeJS.Signals> {
  const nameOf = ({ reason }: AbortSignal) => (reason as Stopped).signal
  if (stop.aborted) return Promise.resolve(nameOf(stop))
  return new Promise((resolve) =>
    stop.addEventListener('abort', () => resolve(nameOf(stop)), { once: true }),
  )
}
