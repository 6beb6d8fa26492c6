import { ByteBuffer } from '../language/byte-buffer.ts'

/** An answer of another process, with the body not yet read: of `fetch`, or of undici. */
interface Answer {
  readonly body: AsyncIterable<Uint8Array> | null
}

/** An answer is larger than its reader takes: more bytes, or JSON of more values. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'

  constructor(most: string) {
    super(`the answer has more than ${most}`)
  }
}

/** For answers of a few fields or a page of text. */
const SMALL_ANSWER_BYTES = 1024 * 1024

/**
 * Appends the body to `read`, at most `maxBytes` of it; throws `AnswerTooLarge` after as many, and what reading throws. They are counted
 * as they are read, after decompression: a length or an encoding in a header is what the sender says. Leaving the loop closes the connection.
 */
export async function readInto(
  read: ByteBuffer,
  { body }: Answer,
  maxBytes: number,
): Promise<void> {
  if (!body) return
  let left = maxBytes
  for await (const part of body) {
    read.append(part.subarray(0, left))
    if (part.length > left) throw new AnswerTooLarge(`${maxBytes} bytes`)
    left -= part.length
  }
}

/** The whole body. Throws `AnswerTooLarge`, and what reading throws. */
export async function bytesOf(answer: Answer, maxBytes = SMALL_ANSWER_BYTES): Promise<Buffer> {
  const read = new ByteBuffer()
  await readInto(read, answer, maxBytes)
  return Buffer.from(read.bytes)
}

/** The same as text in UTF-8. */
export const textOf = async (answer: Answer, maxBytes?: number): Promise<string> =>
  new TextDecoder().decode(await bytesOf(answer, maxBytes))

export interface JsonLimits {
  readonly maxBytes?: number
  /**
   * Limit on the values in lists and objects: `[[[[` takes fifty times its bytes once it is parsed, and a schema reports each
   * wrong element.
   */
  readonly maxValues?: number
}

/** The same as JSON. Throws a SyntaxError, too. */
export async function jsonOf(
  answer: Answer,
  { maxBytes, maxValues = Infinity }: JsonLimits = {},
): Promise<unknown> {
  const bytes = await bytesOf(answer, maxBytes)
  if (maxValues < Infinity && mayHaveMore(bytes, maxValues)) {
    throw new AnswerTooLarge(`${maxValues} values`)
  }
  return JSON.parse(new TextDecoder().decode(bytes))
}

const valueMarks = [...Buffer.from(',[{')]

/**
 * Every value follows one of these characters, but for the outermost. Those inside strings count, too. The runtime searches for
 * them: a loop over the bytes would take ten times as long as parsing them.
 */
function mayHaveMore(json: Buffer, maxValues: number): boolean {
  let left = maxValues
  for (const mark of valueMarks) {
    for (let at = json.indexOf(mark); at >= 0; at = json.indexOf(mark, at + 1)) {
      left -= 1
      if (left < 0) return true
    }
  }
  return false
}
