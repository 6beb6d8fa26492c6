import pg from 'pg'
import { startBackgroundLoop } from '../core/background-loop.ts'
import type { Clock } from '../core/clock.ts'

export interface FreedChannelsOptions {
  readonly clock: Clock
  /** Called each time a replica frees a channel, and after each new connection, since a notification may have been lost before it. */
  readonly onFreed: () => void
  /** Called when a connection fails or is lost; the next attempt follows. */
  readonly onError: (error: unknown) => void
}

const RECONNECT_PAUSE_MS = 1_000

/** Listens on a connection of its own until it is disposed. */
export const listenForFreedChannels = (
  connectionString: string,
  { clock, onFreed, onError }: FreedChannelsOptions,
): AsyncDisposable =>
  startBackgroundLoop({
    run: (signal) => listenOnce(connectionString, onFreed, signal),
    pauseMs: RECONNECT_PAUSE_MS,
    clock,
    onError,
  })

/** Resolves when the signal aborts; rejects when the connection is lost. */
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
