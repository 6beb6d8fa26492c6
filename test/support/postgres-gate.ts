/** A proxy in front of Postgres that reads the protocol, and takes each statement that writes through a gate. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { PostgresFrames, type ServerFrame } from './postgres-frames.ts'
import type { WriteGate, WriteName } from './write-gate.ts'

export interface PostgresGate extends AsyncDisposable {
  readonly url: string
  /** Ends every connection, and accepts no other. */
  cut(): void
}

/** @param target of a server without TLS */
export async function startPostgresGate(target: string, gate: WriteGate): Promise<PostgresGate> {
  const { hostname, port, searchParams } = new URL(target)
  const host = searchParams.get('host') ?? hostname
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect({ host, port: Number(port) })
    const pair = [client, upstream] as const
    for (const socket of pair) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      // The server must notice that the process has died, also while a write of it is held.
      socket.on('close', () => {
        sockets.delete(socket)
        for (const each of pair) each.destroy()
      })
    }
    relay(client, upstream, gate)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const closed = once(server, 'close')
  const cut = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut()
      await closed
    },
  }
}

/** Clients of this project send one statement at a time, and wait for its answer. */
function relay(client: Socket, upstream: Socket, gate: WriteGate): void {
  const fromClient = new PostgresFrames('client')
  const fromServer = new PostgresFrames('server')
  let request: Buffer[] = []
  let statement = ''
  let answer: { readonly parts: Buffer[]; readonly ready: () => void } | undefined

  upstream.on('data', (chunk: Buffer) => {
    for (const frame of fromServer.take(chunk)) {
      if (answer) {
        answer.parts.push(frame.bytes)
        if (isReady(frame)) answer.ready()
      } else client.write(frame.bytes)
    }
  })
  const executed = async (bytes: Buffer): Promise<Buffer> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const parts: Buffer[] = []
    answer = { parts, ready: resolve }
    upstream.write(bytes)
    await promise
    answer = undefined
    return Buffer.concat(parts)
  }
  client.on('data', (chunk: Buffer) => {
    for (const { bytes, type, text } of fromClient.take(chunk)) {
      request.push(bytes)
      statement = text ?? statement
      // Of the parts of a statement with parameters, the server is to answer only from `Sync` on.
      if (isPart.has(type)) continue
      const [whole, name] = [Buffer.concat(request), writeOf(statement)]
      request = []
      statement = ''
      if (name === undefined) upstream.write(whole)
      else void gate.pass(name, () => executed(whole)).then((reply) => client.write(reply))
    }
  })
}

/** Parse, Bind, Describe, Execute, Close. */
const isPart: ReadonlySet<string> = new Set(['P', 'B', 'D', 'E', 'C'])

/** ReadyForQuery. */
const isReady = ({ type }: ServerFrame): boolean => type === 'Z'

const words = /^\s*(insert into|update|delete from|commit)\b\s*("?[\w.]+"?)?/i
const nested = /\b(insert into|update|delete from) ("[\w.]+")/i

/** What a statement writes; undefined when it writes nothing. */
function writeOf(statement: string): WriteName | undefined {
  const found = words.exec(statement) ?? nested.exec(statement)
  return found ? found.slice(1).filter(Boolean).join(' ').toLowerCase() : undefined
}
