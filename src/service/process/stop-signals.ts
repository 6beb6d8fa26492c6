import { constants } from 'node:os'
import { INTERRUPTED } from './exit-codes.ts'

/** Why a command stops: the process received a signal. */
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
  /**
   * For a command that must say something before it ends. From this call on SIGHUP aborts `stop` too, the second signal aborts the
   * result instead of ending the process, and writing to a terminal that was closed is no error.
   */
  readonly stopAtOnce: () => AbortSignal
}

/** The exit code of a process that a signal ends. */
export const exitOfSignal = (name: NodeJS.Signals): number => 128 + constants.signals[name]

/** Listens for SIGTERM and SIGINT. The second one ends the process at once, with exit code 130. */
export function listenForStop(): StopSignals {
  const first = new AbortController()
  const second = new AbortController()
  let endsItself = false
  const onSignal = (name: NodeJS.Signals) => {
    if (!first.signal.aborted) return first.abort(new Stopped(name))
    // A closed terminal can be reported twice: by the kernel and by the shell.
    if (name === 'SIGHUP') return
    if (!endsItself) process.exit(INTERRUPTED)
    second.abort(new Stopped(name))
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return {
    stop: first.signal,
    stopAtOnce: () => {
      endsItself = true
      process.on('SIGHUP', onSignal)
      // To the end of the process, which still writes when the command has returned.
      for (const stream of [process.stdout, process.stderr])
        stream.off('error', ignore).on('error', ignore)
      return second.signal
    },
    [Symbol.dispose]: () => {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('SIGHUP', onSignal)
    },
  }
}

const ignore = (): void => undefined

/**
 * For a command that need not end anything in order: SIGTERM and SIGINT end the process at once, with 128 and the number of the
 * signal. That is what signals do anyway, except to the first process of a container: the kernel gives it none that it does not
 * listen for, and the kubelet would kill it 30 s later.
 */
export function endOnSignals(command: string): StopSignals {
  const onSignal = (name: NodeJS.Signals) => {
    process.stderr.write(`svc ${command}: stopped by ${name} before it was done\n`)
    process.exit(exitOfSignal(name))
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  const never = new AbortController().signal
  return {
    stop: never,
    stopAtOnce: () => never,
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
