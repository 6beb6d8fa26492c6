import pg from 'pg'
import { startBackgroundLoop } from '../core/background-loop.ts'
import type { Clock } from '../core/clock.ts'
import { FREED_CHANNELS } from './freed-channel-notifier.ts'

export interface FreedChannelsOptions {
  readonly clock: Clock
  /**
   * Called with the network of which a replica has freed channels. Without a network after each new
   * connection, since notifications may have been lost before it.
   */
  readonly onFreed: (network?: string) => void
  /** Called when a connection fails or is lost; the next attempt follows. */
  readonly onError: (error: unknown) => void
}

const RECONNECT_PAUSE_MS = 1_000
/** Of the connection, and of the one query on it. */
const TIME_LIMIT_MS = 5_000

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
  onFreed: FreedChannelsOptions['onFreed'],
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({
    connectionString,
    keepAlive: true,
    connectionTimeoutMillis: TIME_LIMIT_MS,
    query_timeout: TIME_LIMIT_MS,
    application_name: 'svc channel news',
  })
  const over = Promise.withResolvers<void>()
  client.on('error', over.reject)
  client.on('end', () => over.reject(new Error('the connection ended')))
  client.on('notification', ({ payload }) => onFreed(payload))
  const onStop = () => over.resolve()
  signal.addEventListener('abort', onStop, { once: true })
  try {
    await client.connect()
    await client.query(`listen ${FREED_CHANNELS}`)
    onFreed()
    await over.promise
  } finally {
    signal.removeEventListener('abort', onStop)
    over.promise.catch(() => undefined)
    await client.end().catch(() => undefined)
  }
}
