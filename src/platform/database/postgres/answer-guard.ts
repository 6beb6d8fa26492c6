import { ByteBuffer } from '../../core/language/byte-buffer.ts'

const HEADER_BYTES = 5

/** The most columns of a statement are the 35 of a settlement; a later version may add some. */
const MAX_COLUMNS = 128
/** The most rows are the channels of a pool: 2,000. */
const MAX_ROWS = 10_000
/** A transaction begins with three statements in one query; an authentication has four messages. */
const MAX_OF_A_KIND = 8
/** Settings and notices: a server sends some twenty when a connection opens. */
const MAX_REMARKS = 1_000
/** What a pod says of its terms names each asset; other texts have some hundred characters. */
const MAX_VALUE_BYTES = 65_536
/** Longer than any number or time that Postgres prints of these types. */
const MAX_SHORT_BYTES = 64

const BOOL = 16
const INT8 = 20
const INT2 = 21
const INT4 = 23
const FLOAT4 = 700
const FLOAT8 = 701
const TIMESTAMP = 1114
const TIMESTAMPTZ = 1184

/**
 * The types whose values `pg` parses: no statement of a bounded client needs another one. The time that a parser takes may be the square of
 * the length, as that of a time: six minutes for 1 MB of digits.
 */
export const shortTypes: ReadonlySet<number> = new Set([
  BOOL,
  INT8,
  INT2,
  INT4,
  FLOAT4,
  FLOAT8,
  TIMESTAMP,
  TIMESTAMPTZ,
])

/** Messages for one query, at most. A kind that is missing, such as those of COPY, answers nothing that this side asks. */
const maxMessages: Readonly<Record<string, number>> = {
  R: MAX_OF_A_KIND,
  K: MAX_OF_A_KIND,
  Z: MAX_OF_A_KIND,
  E: MAX_OF_A_KIND,
  N: MAX_REMARKS,
  S: MAX_REMARKS,
  A: MAX_REMARKS,
  1: MAX_OF_A_KIND,
  2: MAX_OF_A_KIND,
  3: MAX_OF_A_KIND,
  n: MAX_OF_A_KIND,
  I: MAX_OF_A_KIND,
  T: MAX_OF_A_KIND,
  D: MAX_ROWS,
  C: MAX_OF_A_KIND,
}

/** For each of these without a query `pg` makes an error. */
const answersQuery = '123nITDC'

/** The server sent what no answer to this side has. */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused'
}

function refuse(what: string): never {
  throw new AnswerRefused(`the server sent ${what}`)
}

/**
 * Passes each message of a server to `pg` once it is complete and harmless. `pg` reads lengths inside a message without comparing them with
 * its end, reads an error without an end for ever, and makes objects for each message that are a thousand times as large as the message.
 */
export class AnswerGuard {
  readonly #maxBytes: number
  #received = 0
  /** Has the bytes of a message that is not complete. */
  readonly #held = new ByteBuffer()
  #needed = HEADER_BYTES
  #counts = new Map<string, number>()
  /** Whether the value in each announced column is short. */
  #columns: readonly boolean[] | undefined
  #unanswered = 0
  #isFailed = false

  /** @param maxBytes for one query, or before the first one */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Call it when this side sends a query: the counts begin anew then, whatever the server says of itself. */
  begin(): void {
    this.#received = 0
    this.#counts = new Map()
    this.#unanswered += 1
  }

  /** Throws `AnswerRefused`, and what `deliver` throws; then the connection is of no use. */
  read(data: Buffer, deliver: (message: Buffer) => void): void {
    this.#received += data.length
    if (this.#received > this.#maxBytes) refuse(`more than ${this.#maxBytes} bytes for one query`)
    this.#held.append(data)
    if (this.#held.length < this.#needed) return
    let rest = this.#held.bytes
    this.#needed = HEADER_BYTES
    while (rest.length >= HEADER_BYTES) {
      const size = 1 + rest.readUInt32BE(1)
      if (size < HEADER_BYTES) refuse('a message with a length below its own')
      if (size > this.#maxBytes) refuse(`a message of more than ${this.#maxBytes} bytes`)
      if (rest.length < size) {
        this.#needed = size
        break
      }
      const message = rest.subarray(0, size)
      rest = rest.subarray(size)
      this.#check(message)
      deliver(message)
    }
    this.#held.drop(this.#held.length - rest.length)
  }

  #check(message: Buffer): void {
    const kind = String.fromCharCode(message[0] ?? 0)
    const most = maxMessages[kind] ?? refuse('a message that answers nothing')
    const count = (this.#counts.get(kind) ?? 0) + 1
    if (count > most) refuse(`more than ${most} messages of the kind ${kind} for one query`)
    this.#counts.set(kind, count)
    const isAnswer = answersQuery.includes(kind)
    if (isAnswer && (this.#unanswered === 0 || this.#isFailed)) refuse('an answer without a query')
    if (kind === 'Z') this.#end()
    if (kind === 'E') this.#isFailed = true
    if (kind === 'E' || kind === 'N') requireEnd(message)
    if (kind === 'T') this.#columns = columnsOf(message)
    if (kind === 'D') requireRow(message, this.#columns)
  }

  #end(): void {
    this.#unanswered = Math.max(0, this.#unanswered - 1)
    this.#isFailed = false
    this.#columns = undefined
  }
}

/** Fields are a type and a text that ends with zero; a type of zero ends the message. */
function requireEnd(message: Buffer): void {
  const isEnded = message.length === HEADER_BYTES + 1 || message.at(-2) === 0
  if (message.length === HEADER_BYTES || message.at(-1) !== 0 || !isEnded) {
    refuse('an error or a notice without an end')
  }
}

/** After the name of a column: table (4 bytes), number (2), type (4), size (2), modifier (4), format (2). */
const COLUMN_BYTES = 18
const TYPE_AT = 6
const FORMAT_AT = 16

/** `pg` copies an object with a member for each column for each row, and believes an array in binary format what its length is. */
function columnsOf(message: Buffer): readonly boolean[] {
  const count = message.length < HEADER_BYTES + 2 ? -1 : message.readInt16BE(HEADER_BYTES)
  if (count < 0 || count > MAX_COLUMNS) refuse(`a row of more than ${MAX_COLUMNS} columns`)
  let at = HEADER_BYTES + 2
  return Array.from({ length: count }, () => {
    const end = message.indexOf(0, at) + 1
    if (end === 0 || end + COLUMN_BYTES > message.length) refuse('a column without an end')
    at = end + COLUMN_BYTES
    if (message.readInt16BE(end + FORMAT_AT) !== 0) refuse('a column in binary format')
    return shortTypes.has(message.readUInt32BE(end + TYPE_AT))
  })
}

const NULL_BYTES = -1

/** Every row has the announced columns, and ends where its message ends. */
function requireRow(message: Buffer, columns: readonly boolean[] | undefined): void {
  let at = HEADER_BYTES + 2
  if (!columns || message.length < at || message.readInt16BE(HEADER_BYTES) !== columns.length) {
    refuse('a row that has other columns than announced')
  }
  for (const isShort of columns) {
    const bytes = at + 4 > message.length ? Number.NaN : message.readInt32BE(at)
    if (isShort && bytes > MAX_SHORT_BYTES) refuse('a number or a time that is too long')
    if (bytes > MAX_VALUE_BYTES) refuse(`a value of more than ${MAX_VALUE_BYTES} bytes`)
    at += 4 + (bytes === NULL_BYTES ? 0 : bytes)
    // Also false when a length is missing or negative.
    if (!(at <= message.length) || bytes < NULL_BYTES) refuse('a row without an end')
  }
  if (at !== message.length) refuse('a row without an end')
}
