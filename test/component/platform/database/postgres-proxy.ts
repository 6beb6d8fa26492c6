/** Between a store and its Postgres: counts connections and round trips, and loses answers. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface PostgresProxy extends AsyncDisposable {
  readonly url: string
  /** Connections accepted since the start. */
  readonly connections: number
  /** Statements that the server has finished since the start, without those of connecting. */
  readonly roundTrips: number
  /** Lets the server run the next statement, and cuts the connection before the answer. */
  loseNextAnswer(): void
}

/** The server's message that ends every answer (Postgres, "Message Formats"). */
const READY_FOR_QUERY = 'Z'.charCodeAt(0)

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const url = new URL(databaseUrl)
  const target = { host: url.hostname, port: Number(url.port) }
  const sockets = new Set<Socket>()
  let [connections, roundTrips] = [0, 0]
  let isLosing = false
  const server = createServer((client) => {
    connections += 1
    const upstream = connect(target)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.pipe(upstream)
    const answers = answerCounter()
    upstream.on('data', (chunk) => {
      const finished = answers(chunk)
      roundTrips += finished
      if (isLosing && finished > 0) {
        isLosing = false
        client.destroy()
        return
      }
      if (!isLosing) client.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    get connections() {
      return connections
    },
    get roundTrips() {
      return roundTrips
    },
    loseNextAnswer: () => {
      isLosing = true
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** Reads a server's side of one connection; returns how many statements each chunk finishes. */
function answerCounter(): (chunk: Buffer) => number {
  let rest: Buffer = Buffer.alloc(0)
  let isStarted = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    let finished = 0
    while (rest.length >= 5) {
      const length = 1 + rest.readUInt32BE(1)
      if (rest.length < length) break
      if (rest[0] === READY_FOR_QUERY) {
        if (isStarted) finished += 1
        isStarted = true
      }
      rest = rest.subarray(length)
    }
    return finished
  }
}
