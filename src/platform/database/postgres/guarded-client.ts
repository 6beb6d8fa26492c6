import pg from 'pg'

/** The part of the `Connection` of `pg` that reads what the server sends; the types of `pg` leave it out, so it takes a cast. */
interface Reading {
  attachListeners(stream: ByteStream): void
}

interface ByteStream {
  on(event: string, listener: (data: Buffer) => void): unknown
  destroy(error: Error): unknown
}

/**
 * A client of `pg` for a server that someone else may run. `pg` keeps all that answers a query, and throws from a listener what it cannot
 * read, which ends the process. Here both close the connection, and the query fails as after any lost connection.
 * @param maxAnswerBytes of what the server sends for one query, or before the first one
 */
export const guardedClient = (maxAnswerBytes = Infinity): typeof pg.Client =>
  class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      const { connection } = this as unknown as { readonly connection: Reading }
      const attach = connection.attachListeners.bind(connection)
      let received = 0
      const send = this.query.bind(this) as (...args: readonly unknown[]) => unknown
      // Counted anew by what this side asks, not by what the server says of itself.
      this.query = ((...args: readonly unknown[]) => {
        received = 0
        return send(...args)
      }) as typeof this.query
      connection.attachListeners = (stream) => {
        const lose = (because: string) =>
          stream.destroy(new Error(`Connection terminated: ${because}`))
        attach({
          destroy: (error) => stream.destroy(error),
          on: (event, listener) =>
            stream.on(event, (data) => {
              received += data?.length ?? 0
              if (received > maxAnswerBytes) {
                lose(`the server sent more than ${maxAnswerBytes} bytes for one query`)
                return
              }
              try {
                listener(data)
              } catch (error) {
                lose(`what the server sent cannot be read (${String(error)})`)
              }
            }),
        })
      }
    }
  }
