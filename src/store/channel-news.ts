import pg from 'pg'
import type { Clock } from '../core/clock.ts'

export interface ChannelNewsOptions {
  readonly clock: Clock
  /** Called after each channel that any replica freed, and after a gap in which some may have been. */
  readonly onFreed: () => void
  /** Told of each connection that could not be had or was lost; another one is tried. */
  readonly onError: (error: unknown) => void
}

const TRY_AGAIN_MS = 1_000

/** Listens on a connection of its own until it is disposed of. */
export function listenForFreedChannels(
  connectionString: string,
  { clock, onFreed, onError }: ChannelNewsOptions,
): AsyncDisposable {
  const stop = new AbortController()
  const listening = (async () => {
    while (!stop.signal.aborted) {
      try {
        await listenOnce(connectionString, onFreed, stop.signal)
      } catch (error) {
        if (stop.signal.aborted) return
        onError(error)
        await clock.sleep(TRY_AGAIN_MS, stop.signal).catch(() => undefined)
      }
    }
  })()
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await listening
    },
  }
}

/** Resolves when told to stop; rejects when the connection is lost. */
async function listenOnce(
  connectionString: string,
  onFreed: () => void,
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({
    connectionString,
    keepAlive: true,
    application_name: 'svc channel news',
  })
  const over = Promise.withResolvers<void>()
  client.on('error', over.reject)
  client.on('end', () => over.reject(new Error('the connection ended')))
  client.on('notification', onFreed)
  const onStop = () => over.resolve()
  signal.addEventListener('abort', onStop, { once: true })
  try {
    await client.connect()
    await client.query('listen svc_channel_freed')
    onFreed()
    await over.promise
  } finally {
    signal.removeEventListener('abort', onStop)
    over.promise.catch(() => undefined)
    await client.end().catch(() => undefined)
  }
}
