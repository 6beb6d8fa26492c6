import { KubeError } from './kube-error.ts'

export interface Deadline {
  /** Real milliseconds: they bound a wait for bytes from a socket, which no fake clock moves. */
  readonly ms: number
  readonly signal?: AbortSignal | undefined
  /** What is being done, for the message. */
  readonly what: string
}

/**
 * Runs `work` with a signal that aborts after `ms` or with the caller's. Late work ends in a KubeError of
 * kind transport; a caller's abort ends in the caller's reason. Leaves no timer and no listener behind.
 */
export async function withDeadline<T>(
  { ms, signal, what }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  const late = () =>
    controller.abort(new KubeError({ kind: 'transport', message: `${what} took over ${ms} ms` }))
  const timer = setTimeout(late, ms)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await work(controller.signal)
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
