/** Splits a stream of the Postgres protocol, version 3, into its messages. */

interface ServerFrame {
  /** The whole message. */
  readonly bytes: Buffer
  /** Its type byte as a letter; empty for what a connection begins with. */
  readonly type: string
}

export interface ClientFrame extends ServerFrame {
  /** The statement of `Query` and `Parse`. */
  readonly text?: string
}

export class PostgresFrames {
  #rest: Buffer = Buffer.alloc(0)
  /** A client begins with one message without a type byte. */
  #isBegun: boolean

  constructor(side: 'client' | 'server') {
    this.#isBegun = side === 'server'
  }

  /** The messages that are complete with this chunk. */
  *take(chunk: Buffer): Generator<ClientFrame> {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (;;) {
      const typeBytes = this.#isBegun ? 1 : 0
      if (this.#rest.length < typeBytes + 4) return
      const length = typeBytes + this.#rest.readUInt32BE(typeBytes)
      if (this.#rest.length < length) return
      const bytes = this.#rest.subarray(0, length)
      const type = String.fromCharCode(...bytes.subarray(0, typeBytes))
      this.#rest = this.#rest.subarray(length)
      this.#isBegun = true
      const text = statementIn(type, bytes.subarray(typeBytes + 4))
      yield { bytes, type, ...(text !== undefined && { text }) }
    }
  }
}

function statementIn(type: string, body: Buffer): string | undefined {
  if (type === 'Q') return untilZero(body, 0)
  // Parse names the statement first.
  return type === 'P' ? untilZero(body, body.indexOf(0) + 1) : undefined
}

const untilZero = (body: Buffer, from: number): string =>
  body.subarray(from, body.indexOf(0, from)).toString('utf8')
