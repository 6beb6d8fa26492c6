/** A proxy in front of Postgres that takes every statement which writes, and every commit of one, through a gate. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type ClientFrame, PostgresFrames } from './postgres-frames.ts'
import type { WriteGate } from './write-gate.ts'

export interface PostgresGate extends AsyncDisposable {
  /** Of the same database. */
  readonly url: string
  /** Cuts every connection, and each new one, until accept() is called. */
  refuse(): void
  accept(): void
}

/** Gets `insert into channels`, `commit of update channels`. */
type Gate = Pick<WriteGate, 'pass'>

const WRITE = /\b(insert into|delete from|(?<!for |for no key )update)\s+(?:only\s+)?"?([a-z_]+)"?/i

/** @param target of a server without TLS */
export async function startPostgresGate(target: string, gate: Gate): Promise<PostgresGate> {
  const { hostname, port: upstreamPort, searchParams } = new URL(target)
  const host = searchParams.get('host') ?? hostname
  const sockets = new Set<Socket>()
  let isRefusing = false
  const server = createServer((client) => {
    if (isRefusing) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(upstreamPort), host)
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
    new GatedSession(client, upstream, gate).run()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closed = once(server, 'close')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const { port } = server.address() as AddressInfo
  return {
    url: Object.assign(new URL(target), { host: `127.0.0.1:${port}` }).href,
    refuse: () => {
      isRefusing = true
      cut()
    },
    accept: () => {
      isRefusing = false
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      cut()
      await closed
    },
  }
}

/** One connection. The clients of the store send a statement when the last one was answered. */
class GatedSession {
  readonly #client: Socket
  readonly #upstream: Socket
  readonly #gate: Gate
  #answered: (() => void) | undefined
  #withheld: Buffer[] | undefined
  /** The last write of the present transaction, whose commit is a write, too; undefined outside of one. */
  #written: string | undefined

  constructor(client: Socket, upstream: Socket, gate: Gate) {
    this.#client = client
    this.#upstream = upstream
    this.#gate = gate
  }

  run(): void {
    const request: ClientFrame[] = []
    const fromClient = new PostgresFrames('client')
    let sending = Promise.resolve()
    this.#client.on('data', (chunk) => {
      for (const frame of fromClient.take(chunk)) {
        request.push(frame)
        if (partsOfStatement.has(frame.type)) continue
        const whole = request.splice(0)
        sending = sending.then(() => this.#send(whole)).catch(() => void this.#client.destroy())
      }
    })
    const fromServer = new PostgresFrames('server')
    this.#upstream.on('data', (chunk) => {
      if (this.#withheld) this.#withheld.push(chunk)
      else this.#client.write(chunk)
      // ReadyForQuery.
      for (const { type } of fromServer.take(chunk)) if (type === 'Z') this.#answered?.()
    })
  }

  async #send(request: readonly ClientFrame[]): Promise<void> {
    const bytes = Buffer.concat(request.map((frame) => frame.bytes))
    const what = this.#writeOf(request.map(({ text = '' }) => text).join(''))
    if (what === undefined) {
      this.#upstream.write(bytes)
      return
    }
    await this.#gate.pass(what, async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#answered = resolve
      this.#withheld = []
      this.#upstream.write(bytes)
      await promise
    })
    const answer = this.#withheld ?? []
    this.#withheld = undefined
    for (const chunk of answer) this.#client.write(chunk)
  }

  #writeOf(statement: string): string | undefined {
    if (statement.startsWith('begin')) this.#written = ''
    if (statement === 'commit' || statement === 'rollback') {
      const written = this.#written
      this.#written = undefined
      return statement === 'commit' && written ? `commit of ${written}` : undefined
    }
    const [, verb = '', table = ''] = WRITE.exec(statement) ?? []
    if (verb === '') return undefined
    const what = `${verb.toLowerCase()} ${table}`
    if (this.#written !== undefined) this.#written = what
    return what
  }
}

/** Messages that follow each other until Sync: Parse, Bind, Describe, Execute, Close. */
const partsOfStatement: ReadonlySet<string> = new Set(['P', 'B', 'D', 'E', 'C'])
