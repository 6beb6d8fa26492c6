import { createReadStream } from 'node:fs'
import { ChainReader } from './line.ts'

export interface CheckedLog {
  readonly chain: ChainReader
  /** Bytes of the lines that end: what a crash has left of a torn one comes after them. */
  readonly bytes: number
  readonly tornBytes: number
}

const NEWLINE = 10
/** Far more than a line has: what is longer is no log. */
const MAX_LINE_BYTES = 16 * 1024

/** Reads a log from its first line, and checks it. Throws an Error that says which line is wrong. */
export async function readLog(path: string): Promise<CheckedLog> {
  const chain = new ChainReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  let rest = Buffer.alloc(0)
  for await (const part of createReadStream(path)) {
    rest = Buffer.concat([rest, part])
    let from = 0
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, from)) {
      chain.read(decoder.decode(rest.subarray(from, end)))
      from = end + 1
    }
    bytes += from
    rest = rest.subarray(from)
    if (rest.length > MAX_LINE_BYTES) throw new Error(`${path} has a line that is too long`)
  }
  return { chain, bytes, tornBytes: rest.length }
}
