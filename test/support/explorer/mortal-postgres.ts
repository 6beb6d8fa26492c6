/** Between one process and its Postgres: ends its connections as the death of the process or of the network would. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface MortalPostgres extends AsyncDisposable {
  readonly url: string
  /** The next commit does not reach the server, or its answer not the client. */
  breakCommit(when: 'before' | 'after'): void
  /** Ends every connection; with `forever` no other is accepted, as if the process were dead. */
  cut(forever?: 'forever'): void
}

/** The simple query that ends a transaction (Postgres, "Message Formats"). */
const COMMIT = Buffer.from('commit\0')

export async function startMortalPostgres(databaseUrl: string): Promise<MortalPostgres> {
  const url = new URL(databaseUrl)
  const target = { host: url.hostname, port: Number(url.port) }
  const sockets = new Set<Socket>()
  let isDead = false
  let broken: 'before' | 'after' | undefined
  const server = createServer((client) => {
    if (isDead) {
      client.destroy()
      return
    }
    const upstream = connect(target)
    let isLosing = false
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (chunk: Buffer) => {
      const breaks = broken !== undefined && chunk.includes(COMMIT)
      if (breaks && broken === 'before') {
        broken = undefined
        end()
        return
      }
      if (breaks) {
        broken = undefined
        isLosing = true
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      if (isLosing) end()
      else client.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    breakCommit: (when) => {
      broken = when
    },
    cut: (forever) => {
      isDead ||= forever === 'forever'
      cut()
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
