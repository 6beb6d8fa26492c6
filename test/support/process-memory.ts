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
  /** Names of the forms that are in its memory. */
  readonly found: readonly string[]
  /** And in its environment. */
  readonly environment: readonly string[]
  /** So much was read. */
  readonly bytes: number
}

const CHUNK_BYTES = 32 * 1024 * 1024
const PAGE_BYTES = 4096n
/** Of an entry of a page map (proc(5)): whether the page is in memory, or in the swap. */
const IN_MEMORY = 0b11n << 62n

/**
 * Searches each process in all memory that it can read itself, and in the variables that it was started with. All stand still meanwhile: what
 * moves could be missed, and who waits for another one in vain would end it.
 */
export function searchProcesses(
  pids: readonly number[],
  forms: ReadonlyMap<string, Buffer>,
): readonly Searched[] {
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  try {
    return pids.map((pid) => ({
      ...searchMemory(pid, forms),
      environment: formsIn(readFileSync(`/proc/${pid}/environ`), forms),
    }))
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
}

const formsIn = (text: Buffer, forms: ReadonlyMap<string, Buffer>): readonly string[] =>
  [...forms].filter(([, form]) => text.includes(form)).map(([name]) => name)

function searchMemory(pid: number, forms: ReadonlyMap<string, Buffer>) {
  const overlap = BigInt(Math.max(...[...forms.values()].map(({ length }) => length)))
  const step = BigInt(CHUNK_BYTES) - overlap
  const found = new Set<string>()
  let bytes = 0
  const [memory, pages] = ['mem', 'pagemap'].map((name) => openSync(`/proc/${pid}/${name}`, 'r'))
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES)
    const runs = mappingsOf(pid).flatMap((mapping) => runsOf(pages!, mapping))
    for (const { from, to } of runs) {
      for (let at = from; at < to; at += step) {
        const length = Number(to - at < BigInt(CHUNK_BYTES) ? to - at : BigInt(CHUNK_BYTES))
        const read = readAt(memory!, buffer, { at, length })
        bytes += read
        for (const name of formsIn(buffer.subarray(0, read), forms)) found.add(name)
      }
    }
  } finally {
    for (const file of [memory, pages]) closeSync(file!)
  }
  return { found: [...found], bytes }
}

interface Range {
  readonly from: bigint
  /** Exclusive. */
  readonly to: bigint
}

function mappingsOf(pid: number): readonly Range[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line) ?? []
      return from === undefined ? [] : [{ from: BigInt(`0x${from}`), to: BigInt(`0x${to}`) }]
    })
}

/** The parts of a mapping that are there: others hold zeros, or what a file has. */
function runsOf(pages: number, { from, to }: Range): readonly Range[] {
  const entries = Buffer.alloc(Number((to - from) / PAGE_BYTES) * 8)
  const read = readAt(pages, entries, { at: (from / PAGE_BYTES) * 8n, length: entries.length })
  const runs: { from: bigint; to: bigint }[] = []
  for (let index = 0; index * 8 < read; index += 1) {
    if ((entries.readBigUInt64LE(index * 8) & IN_MEMORY) === 0n) continue
    const at = from + BigInt(index) * PAGE_BYTES
    const last = runs.at(-1)
    if (last?.to === at) last.to += PAGE_BYTES
    else runs.push({ from: at, to: at + PAGE_BYTES })
  }
  return runs
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
