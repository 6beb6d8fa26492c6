/** Lines of the log: each has the SHA-256 of the line before it, and the sums of all lines up to it. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type Counted, Usage } from './usage.ts'

/** What is written about one signature. Sums are in stroops. */
export interface Entry {
  readonly network: string
  readonly purpose: string
  /** 64 hex digits: what is signed. */
  readonly hash: string
  readonly fee: bigint
  readonly xlm: bigint | 'all'
  readonly accounts: number
}

const stroops = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)

const lineSchema = z.strictObject({
  seq: count,
  time: z.iso.datetime({ precision: 3 }),
  network: z.string(),
  purpose: z.string(),
  hash,
  fee: stroops,
  xlm: z.union([stroops, z.literal('all')]),
  accounts: count,
  /** The same hash was signed minutes ago, and has been counted. */
  repeat: z.boolean(),
  /** Of the lines up to this one that are no repeats. */
  sums: z.strictObject({ fee: stroops, xlm: stroops, accounts: count, sweeps: count }),
  previous: hash,
})

export interface Sums {
  readonly fee: bigint
  /** Without the sweeps, of which nobody knows the sum before the ledger has it. */
  readonly xlm: bigint
  readonly accounts: number
  /** Transactions that send the whole balance of the sponsor to a recipient. */
  readonly sweeps: number
}

/** The log up to a line. */
export interface ChainEnd {
  /** Of the next line. */
  readonly seq: number
  /** SHA-256 of the last line; zeros before the first. */
  readonly previous: string
  /** Unix ms of the last line. */
  readonly time: number
  readonly sums: Sums
}

export const emptyChain: ChainEnd = {
  seq: 0,
  previous: '0'.repeat(64),
  time: 0,
  sums: { fee: 0n, xlm: 0n, accounts: 0, sweeps: 0 },
}

/** The line that follows, without its end of line. @param time Unix ms, not before that of the last line */
export function nextLine(
  end: ChainEnd,
  entry: Entry,
  { time, isRepeat }: { readonly time: number; readonly isRepeat: boolean },
): { readonly text: string; readonly end: ChainEnd } {
  const sums = isRepeat ? end.sums : plus(end.sums, entry)
  const { network, purpose, hash, fee, xlm, accounts } = entry
  const text = JSON.stringify({
    seq: end.seq,
    time: new Date(time).toISOString(),
    network,
    purpose,
    hash,
    fee: String(fee),
    xlm: String(xlm),
    accounts,
    repeat: isRepeat,
    sums: { ...sums, fee: String(sums.fee), xlm: String(sums.xlm) },
    previous: end.previous,
  })
  return { text, end: { seq: end.seq + 1, previous: sha256(text), time, sums } }
}

/** Checks a whole log, line by line: the chain, the sums, the times, and what counts as a repeat. */
export class ChainReader {
  readonly usage = new Usage()
  #end = emptyChain

  get end(): ChainEnd {
    return this.#end
  }

  /** Throws an Error with the number of the line, from 1, and what is wrong. */
  read(text: string): void {
    const problem = this.#take(text)
    if (problem) throw new Error(`line ${this.#end.seq + 1} of the log ${problem}`)
  }

  #take(text: string): string | undefined {
    const end = this.#end
    const line = parse(text)
    if (!line) return 'is no line of a log'
    if (line.previous !== end.previous) return 'does not follow the line before it'
    const time = Date.parse(line.time)
    if (time < end.time) return 'is older than the line before it'
    const isRepeat = this.usage.isRepeat(line.hash, time)
    const expected = nextLine(end, line, { time, isRepeat })
    if (expected.text !== text) return 'does not add up'
    if (!isRepeat) this.usage.add(countedOf(line, time))
    this.#end = expected.end
    return undefined
  }
}

export const countedOf = ({ hash, fee, accounts }: Entry, time: number): Counted => ({
  hash,
  fee,
  accounts,
  time,
})

function parse(text: string): z.output<typeof lineSchema> | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

const plus = ({ fee, xlm, accounts, sweeps }: Sums, entry: Entry): Sums => ({
  fee: fee + entry.fee,
  xlm: xlm + (entry.xlm === 'all' ? 0n : entry.xlm),
  accounts: accounts + entry.accounts,
  sweeps: sweeps + (entry.xlm === 'all' ? 1 : 0),
})

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')
