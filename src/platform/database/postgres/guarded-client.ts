import pg from 'pg'
import { AnswerGuard, AnswerRefused } from './answer-guard.ts'

/** The part of the `Connection` of `pg` that reads what the server sends; the types of `pg` leave it out, so it takes a cast. */
interface Reading {
  attachListeners(stream: ByteStream): void
  /** Another one after TLS has begun. */
  readonly stream: { destroy(error?: Error): unknown }
  once(event: 'end', listener: () => void): unknown
}

const DEFAULT_GOODBYE_MS = 5_000

/** A server asks for each once. `pg` derives a key for each answer to SASL, and 20,000 of them fit into one megabyte. */
const askedOnce = [
  '_handleAuthCleartextPassword',
  '_handleAuthMD5Password',
  '_handleAuthSASL',
  '_handleAuthSASLContinue',
  '_handleAuthSASLFinal',
] as const

/** Methods of the client of `pg` that its types leave out, so it takes a cast. */
type Handlers = Record<(typeof askedOnce)[number], (message: unknown) => unknown>

type Callback = (error?: Error | null, client?: pg.Client) => void

interface ByteStream {
  on(event: string, listener: (data: Buffer) => void): unknown
  destroy(error: Error): unknown
}

/**
 * A client of `pg` for a server that someone else may run. `pg` throws from a listener what it cannot read, which ends the process, and
 * reads all that answers a query. Here what cannot be read and, with `maxAnswerBytes`, what the `AnswerGuard` refuses closes the
 * connection, and the query fails as after any lost connection.
 *
 * A server that asks for the password more than once loses the connection, too.
 *
 * `pg` also leaves it to the server to close a connection that has ended, or that it could not open. Here this side closes it.
 * @param maxAnswerBytes of what the server sends for one query, or before the first one; absent for a server that this side trusts
 * @param goodbyeMs how long the server may take to close a connection that this side has ended
 */
export const guardedClient = (
  maxAnswerBytes = Infinity,
  goodbyeMs = DEFAULT_GOODBYE_MS,
): typeof pg.Client =>
  class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      // pg declares no type for its connection.
      const { connection } = this as unknown as { readonly connection: Reading }
      const attach = connection.attachListeners.bind(connection)
      const guard = maxAnswerBytes === Infinity ? undefined : new AnswerGuard(maxAnswerBytes)
      const send = this.query.bind(this) as (...args: readonly unknown[]) => unknown
      this.query = ((...args: readonly unknown[]) => {
        guard?.begin()
        return send(...args)
      }) as typeof this.query
      const connect = this.connect.bind(this) as (callback: Callback) => void
      const connectOrClose = (callback: Callback) =>
        connect((error, client) => {
          if (error) connection.stream.destroy()
          callback(error, client)
        })
      this.connect = ((callback?: Callback) =>
        callback
          ? connectOrClose(callback)
          : new Promise<pg.Client>((resolve, reject) => {
              connectOrClose((error) => (error ? reject(error) : resolve(this)))
            })) as typeof this.connect
      // The handlers are methods that pg does not declare.
      const handlers = this as unknown as Handlers
      for (const name of askedOnce) {
        const handle = handlers[name].bind(this)
        let isAsked = false
        handlers[name] = (message) => {
          if (isAsked) {
            connection.stream.destroy(
              new Error('Connection terminated: the server asked for the password more than once'),
            )
            return undefined
          }
          isAsked = true
          return handle(message)
        }
      }
      const end = this.end.bind(this) as (...args: readonly unknown[]) => unknown
      this.end = ((...args: readonly unknown[]) => {
        const limit = setTimeout(() => connection.stream.destroy(), goodbyeMs).unref()
        connection.once('end', () => clearTimeout(limit))
        return end(...args)
      }) as typeof this.end
      connection.attachListeners = (stream) => {
        const lose = (because: string) =>
          stream.destroy(new Error(`Connection terminated: ${because}`))
        attach({
          destroy: (error) => stream.destroy(error),
          on: (event, listener) =>
            stream.on(event, (data) => {
              try {
                if (guard && event === 'data') guard.read(data, listener)
                else listener(data)
              } catch (error) {
                const isRefused = error instanceof AnswerRefused
                lose(isRefused ? error.message : `what the server sent cannot be read (${error})`)
              }
            }),
        })
      }
    }
  }
