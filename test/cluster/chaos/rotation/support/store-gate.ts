/** A proxy in front of Postgres that passes every statement which writes through a gate. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { WriteGate } from './write-gate.ts'

export interface StoreGate extends AsyncDisposable {
  /** Of the same database. */
  readonly url: string
  /** Cuts every connection, and each new one, until accept() is called. */
  refuse(): void
  accept(): void
}

const WRITE = /\b(insert into|delete from|(?<!for |for no key )update)\s+(?:only\s+)?"?([a-z_]+)"?/i

export async function startStoreGate(databaseUrl: string, gate: WriteGate): Promise<StoreGate> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isRefusing = false
  const server = createServer((client) => {
    if (isRefusing) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    const pair = [client, upstream] as const
    for (const socket of pair) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        for (const each of pair) each.destroy()
      })
    }
    new GatedSession(client, upstream, gate).run()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const { port } = server.address() as AddressInfo
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
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
      await once(server, 'close')
    },
  }
}

/** One connection without TLS. The client of the store sends a statement when the last one was answered. */
class GatedSession {
  readonly #client: Socket
  readonly #upstream: Socket
  readonly #gate: WriteGate
  #answered: (() => void) | undefined
  #withheld: Buffer[] | undefined
  /** The last write of the present transaction, whose commit is a write, too; undefined outside of one. */
  #written: string | undefined

  constructor(client: Socket, upstream: Socket, gate: WriteGate) {
    this.#client = client
    this.#upstream = upstream
    this.#gate = gate
  }

  run(): void {
    const request: Frame[] = []
    const fromClient = new Frames(true)
    let sending = Promise.resolve()
    this.#client.on('data', (chunk) => {
      for (const frame of fromClient.take(chunk)) {
        request.push(frame)
        if (partsOfStatement.has(frame.type)) continue
        const whole = request.splice(0)
        sending = sending.then(() => this.#send(whole)).catch(() => void this.#client.destroy())
      }
    })
    const fromServer = new Frames(false)
    this.#upstream.on('data', (chunk) => {
      if (this.#withheld) this.#withheld.push(chunk)
      else this.#client.write(chunk)
      for (const { type } of fromServer.take(chunk)) if (type === 'Z') this.#answered?.()
    })
  }

  async #send(request: readonly Frame[]): Promise<void> {
    const bytes = Buffer.concat(request.map((frame) => frame.bytes))
    const what = this.#writeOf(request.map(statementOf).join(''))
    if (what === undefined) {
      this.#upstream.write(bytes)
      return
    }
    await this.#gate.pass(`store: ${what}`, async () => {
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

/** Messages that follow each other until Sync: Parse, Bind, Describe, Execute. */
const partsOfStatement: ReadonlySet<string> = new Set(['P', 'B', 'D', 'E'])

/** The SQL of Query or Parse; empty for other messages. */
function statementOf({ type, bytes }: Frame): string {
  const [first = '', second = ''] = bytes.toString('latin1', 5).split('\0')
  if (type === 'Q') return first
  return type === 'P' ? second : ''
}

interface Frame {
  /** Empty for the first one of a client, which has no type. */
  readonly type: string
  readonly bytes: Buffer
}

/** Splits a stream of Postgres into its messages. */
class Frames {
  #rest: Buffer = Buffer.alloc(0)
  #isFirst: boolean

  constructor(isClient: boolean) {
    this.#isFirst = isClient
  }

  *take(chunk: Buffer): Iterable<Frame> {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (;;) {
      const typeBytes = this.#isFirst ? 0 : 1
      if (this.#rest.length < typeBytes + 4) return
      const length = typeBytes + this.#rest.readInt32BE(typeBytes)
      if (this.#rest.length < length) return
      const bytes = this.#rest.subarray(0, length)
      yield { type: this.#isFirst ? '' : String.fromCharCode(bytes[0] ?? 0), bytes }
      this.#isFirst = false
      this.#rest = this.#rest.subarray(length)
    }
  }
}
