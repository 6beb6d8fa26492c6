/**
 * A snapshot as a file: gzipped lines of JSON. The first line is the header, then each entry and each
 * retained ledger has a line. Bytes are base64, stroops decimal strings.
 */
import { createReadStream } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { replaceFile } from '../../platform/core/files/draft-file.ts'
import type { NetworkSnapshot } from './snapshot.ts'
import { EntryLine, Head, LedgerLine, STATE_FORMAT, STATE_VERSION, toPlain } from './state-lines.ts'

/** The state file cannot be read; the message is for the person who named it. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
}

/** Replaces the file atomically. Creates its folder if missing. */
export async function writeStateFile(path: string, snapshot: NetworkSnapshot): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // The callback is for errors, which the reader of the zipped lines gets too.
  const zipped = pipeline(Readable.from(linesOf(snapshot)), createGzip(), () => undefined)
  await replaceFile(path, zipped)
}

function* linesOf({ entries, ledgers, ...rest }: NetworkSnapshot): Generator<string> {
  const counts = { entries: entries.length, ledgers: ledgers.length }
  const line = (value: unknown) => `${JSON.stringify(toPlain(value))}\n`
  yield line({ format: STATE_FORMAT, version: STATE_VERSION, ...counts, ...rest })
  for (const [key, record] of entries) yield line({ key: Buffer.from(key, 'latin1'), ...record })
  for (const ledger of ledgers) yield line(ledger)
}

/** Undefined when there is no such file. Throws StateFileError for an invalid one. */
export async function readStateFile(path: string): Promise<NetworkSnapshot | undefined> {
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  return exists ? await readExisting(path) : undefined
}

async function readExisting(path: string): Promise<NetworkSnapshot> {
  const zipped = createReadStream(path)
  const unzipped = zipped.pipe(createGunzip())
  zipped.once('error', (error) => unzipped.destroy(error))
  const lines = createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY })
  const broken = new Promise<never>((_, reject) => unzipped.once('error', reject))
  try {
    return await Promise.race([broken, readLines(path, lines)])
  } catch (cause) {
    if (cause instanceof StateFileError) throw cause
    throw new StateFileError(`${path} was not written by svc localnet, or it is damaged`, {
      cause,
    })
  } finally {
    lines.close()
    zipped.destroy()
    unzipped.destroy()
  }
}

async function readLines(path: string, lines: AsyncIterable<string>): Promise<NetworkSnapshot> {
  const all = lines[Symbol.asyncIterator]()
  const next = async (): Promise<unknown> => {
    const { value, done } = await all.next()
    if (done) throw new Error('unexpected end of file')
    return JSON.parse(value)
  }
  const head = readHead(path, await next())
  const entries: NetworkSnapshot['entries'][number][] = []
  for (let left = head.entries; left > 0; left--) entries.push(EntryLine.parse(await next()))
  const ledgers: NetworkSnapshot['ledgers'][number][] = []
  for (let left = head.ledgers; left > 0; left--) ledgers.push(LedgerLine.parse(await next()))
  const { passphrase, protocol, limits, state } = head
  return { passphrase, protocol, limits, state, entries, ledgers }
}

function readHead(path: string, line: unknown): Head {
  const { version } = Head.pick({ format: true, version: true }).parse(line)
  if (version !== STATE_VERSION) {
    throw new StateFileError(
      `${path} has format ${version}; this version of svc reads format ${STATE_VERSION}`,
    )
  }
  return Head.parse(line)
}
