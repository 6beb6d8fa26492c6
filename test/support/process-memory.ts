/** What processes have in their memory and their environment: Linux alone shows it. */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { secretOfSeed } from '../../src/stellar/accounts/signer.ts'

/** Why no memory can be read on this machine; undefined where it can, of children of this process at least. */
export function noProcessMemory(): string | undefined {
  if (process.platform !== 'linux') return `${process.platform} shows no memory of other processes`
  try {
    const memory = openSync(`/proc/${process.pid}/mem`, 'r')
    closeSync(memory)
    return undefined
  } catch (error) {
    return `this machine shows no memory of processes: ${error}`
  }
}

/** The forms of a seed of 32 bytes from which one can sign, by name. */
export function seedForms(seed: Uint8Array): ReadonlyMap<string, Buffer> {
  const bytes = Buffer.from(seed)
  const hex = bytes.toString('hex')
  const texts = {
    'S...': secretOfSeed(seed),
    hex,
    'upper hex': hex.toUpperCase(),
    // Without the last digit, which also depends on what follows.
    base64: bytes.toString('base64').slice(0, 42),
    base64url: bytes.toString('base64url').slice(0, 42),
  }
  return new Map([
    ['bytes', bytes],
    ['scalar', scalarOf(bytes)],
    ...Object.entries(texts).flatMap(([name, text]): [string, Buffer][] => [
      [name, Buffer.from(text, 'latin1')],
      [`${name} in UTF-16`, Buffer.from(text, 'utf16le')],
    ]),
  ])
}

/** RFC 8032, 5.1.5: what signs is derived from the seed. */
function scalarOf(seed: Buffer): Buffer {
  const scalar = createHash('sha512').update(seed).digest().subarray(0, 32)
  scalar[0]! &= 248
  scalar[31]! = (scalar[31]! & 127) | 64
  return scalar
}

/** The process and all that it has started, and those in turn. */
export function descendantsOf(pid: number): readonly number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The name of the program, in brackets, may hold anything.
        const [, , parent] =
          /^.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
        return [{ pid: Number(name), parent: Number(parent) }]
      } catch {
        // It has ended just now.
        return []
      }
    })
  const children = parents.filter(({ parent }) => parent === pid)
  return children.flatMap((child) => [child.pid, ...descendantsOf(child.pid)])
}

export interface Searched {
  /** Names of the forms that are there. */
  readonly found: readonly string[]
  /** So much was read. */
  readonly bytes: number
}

const CHUNK_BYTES = 32 * 1024 * 1024

/** Searches all memory that the process can read itself. It stands still meanwhile: what moves could be missed. */
export function searchMemory(pid: number, forms: ReadonlyMap<string, Buffer>): Searched {
  const overlap = Math.max(...[...forms.values()].map(({ length }) => length))
  const found = new Set<string>()
  let bytes = 0
  process.kill(pid, 'SIGSTOP')
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES)
    for (const { from, to } of mappingsOf(pid)) {
      for (let at = from; at < to; at += BigInt(CHUNK_BYTES - overlap)) {
        const length = Number(to - at < BigInt(CHUNK_BYTES) ? to - at : BigInt(CHUNK_BYTES))
        const read = readAt(memory, buffer, { at, length })
        bytes += read
        const chunk = buffer.subarray(0, read)
        for (const [name, form] of forms) if (chunk.includes(form)) found.add(name)
      }
    }
  } finally {
    closeSync(memory)
    process.kill(pid, 'SIGCONT')
  }
  return { found: [...found], bytes }
}

/** The forms that the variables of the process have, as it was started with. */
export function searchEnvironment(
  pid: number,
  forms: ReadonlyMap<string, Buffer>,
): readonly string[] {
  const environment = readFileSync(`/proc/${pid}/environ`)
  return [...forms].filter(([, form]) => environment.includes(form)).map(([name]) => name)
}

/** Those it may read, without those of which no page is in memory: they have only zeros or what a file has. */
function mappingsOf(pid: number): readonly { readonly from: bigint; readonly to: bigint }[] {
  return readFileSync(`/proc/${pid}/smaps`, 'utf8')
    .split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
    .filter((mapping) => /^(Rss|Swap): +[1-9]/m.test(mapping))
    .flatMap((mapping) => {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(mapping) ?? []
      return from === undefined ? [] : [{ from: BigInt(`0x${from}`), to: BigInt(`0x${to}`) }]
    })
}

/** 0 where the kernel itself keeps the pages, as it does for its clock. */
function readAt(
  file: number,
  buffer: Buffer,
  { at, length }: { readonly at: bigint; readonly length: number },
): number {
  try {
    return readSync(file, buffer, 0, length, at)
  } catch {
    return 0
  }
}
