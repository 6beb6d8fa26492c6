import pg from 'pg'
import { startBackgroundLoop } from '../../platform/core/time/background-loop.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import {
  type ConnectionAddress,
  connectionOf,
} from '../../platform/database/postgres/connection.ts'
import { isDirect, serverProcess } from '../../platform/database/postgres/route.ts'
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
  /** Called once when a pooler shares the connection: no notification arrives, and listening ends. */
  readonly onPooled?: () => void
}

export interface ListenAddress extends ConnectionAddress {
  /** The administrator says that no pooler shares its connections, or that one lends them for a whole session. */
  readonly isDirect: boolean
}

const RECONNECT_PAUSE_MS = 1_000
/** Time limit of the connection, and of each query on it. */
const TIME_LIMIT_MS = 5_000
/** How often the connection is checked: it may be broken, or shared, without a sign. */
const CHECK_MS = 30_000

/** Listens on a connection of its own until it is disposed. */
export const listenForFreedChannels = (
  address: ListenAddress,
  options: FreedChannelsOptions,
): AsyncDisposable =>
  startBackgroundLoop({
    run: async (signal) => {
      await listenUntilShared(address, options, signal)
      if (!signal.aborted) options.onPooled?.()
      await aborted(signal)
    },
    pauseMs: RECONNECT_PAUSE_MS,
    clock: options.clock,
    onError: options.onError,
  })

/** Resolves when the signal aborts, or when a pooler shares the connection; rejects when it is lost. */
async function listenUntilShared(
  address: ListenAddress,
  { clock, onFreed }: FreedChannelsOptions,
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({
    ...connectionOf(address),
    keepAlive: true,
    connectionTimeoutMillis: TIME_LIMIT_MS,
    query_timeout: TIME_LIMIT_MS,
    application_name: 'svc freed channels',
  })
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  client.on('error', lost.reject)
  client.on('end', () => lost.reject(new Error('the connection ended')))
  client.on('notification', ({ payload }) => onFreed(payload))
  const ended = new AbortController()
  try {
    await client.connect()
    if (!address.isDirect && !(await isDirect(client))) return
    const server = await serverProcess(client)
    await client.query(`listen ${FREED_CHANNELS}`)
    onFreed()
    const stop = AbortSignal.any([signal, ended.signal])
    await Promise.race([lost.promise, untilAnotherServer(client, server, clock, stop)])
  } finally {
    ended.abort()
    await client.end().catch(() => undefined)
  }
}

/** Resolves when another server process answers, or the signal aborts; rejects when none answers. */
async function untilAnotherServer(
  client: pg.Client,
  server: number | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(CHECK_MS, signal).catch(() => undefined)
    if (signal.aborted || (await serverProcess(client)) !== server) return
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
