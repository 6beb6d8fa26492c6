import { open } from 'node:fs/promises'

/** One entry of a layer: what a container sees at `path`. */
export type Entry = FolderEntry | FileEntry | LinkEntry

interface EntryBase {
  /** Relative to the root, without a slash at either end. */
  readonly path: string
  readonly mode: number
  /** 0, root, without it. */
  readonly uid?: number
  readonly gid?: number
}

interface FolderEntry extends EntryBase {
  readonly type: 'folder'
}

interface FileEntry extends EntryBase {
  readonly type: 'file'
  readonly content: Content
}

interface LinkEntry extends EntryBase {
  readonly type: 'link'
  readonly target: string
}

/** Bytes, or a file on this machine with its size. */
type Content = Uint8Array | { readonly file: string; readonly size: number }

const BLOCK = 512
const CHUNK_BYTES = 1024 * 1024
/** Every entry has the same time, so that the same content makes the same layer. */
const MTIME_S = 0

const typeFlags = { folder: '5', file: '0', link: '2' } as const

/** A tar archive of the entries, in chunks. The order of the entries has no influence. */
export async function* tarOf(entries: Iterable<Entry>): AsyncGenerator<Uint8Array> {
  for (const entry of sorted(entries)) {
    yield headerOf(entry)
    if (entry.type === 'file') yield* paddedContent(entry.content)
  }
  yield tarEnd
}

/** Two empty blocks end an archive. */
export const tarEnd: Uint8Array = Buffer.alloc(2 * BLOCK)

/** By bytes, so that no locale matters. A folder comes before what it holds. */
function sorted(entries: Iterable<Entry>): Entry[] {
  const byPath = new Map<string, Entry>()
  for (const entry of entries) {
    const known = byPath.get(entry.path)
    if (known !== undefined && (known.type !== 'folder' || entry.type !== 'folder'))
      throw new Error(`${entry.path} is in the layer twice. Leave one out.`)
    byPath.set(entry.path, entry)
  }
  return [...byPath.values()].sort((one, other) =>
    Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)),
  )
}

const sizeOf = (content: Content): number =>
  content instanceof Uint8Array ? content.length : content.size

async function* paddedContent(content: Content): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) yield content
  else yield* chunksOf(content.file, content.size)
  yield paddingOf(sizeOf(content))
}

export const paddingOf = (size: number): Uint8Array =>
  Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)

async function* chunksOf(file: string, size: number): AsyncGenerator<Uint8Array> {
  await using handle = await open(file)
  let read = 0
  while (read < size) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - read))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, read)
    if (bytesRead === 0) throw new Error(`${file} became shorter while it was read. Try again.`)
    read += bytesRead
    yield chunk.subarray(0, bytesRead)
  }
}

/** The header of an entry, after an extended one when a name is too long for it. */
export function headerOf(entry: Entry): Uint8Array {
  const path = entry.type === 'folder' ? `${entry.path}/` : entry.path
  const target = entry.type === 'link' ? entry.target : ''
  const size = entry.type === 'file' ? sizeOf(entry.content) : 0
  const records = [
    ...(Buffer.byteLength(path) > 100 ? [paxRecord('path', path)] : []),
    ...(Buffer.byteLength(target) > 100 ? [paxRecord('linkpath', target)] : []),
  ]
  const header = block({
    path,
    target,
    size,
    mode: entry.mode,
    uid: entry.uid ?? 0,
    gid: entry.gid ?? 0,
    type: typeFlags[entry.type],
  })
  if (records.length === 0) return header
  const extended = Buffer.concat(records)
  const before = { path: 'long-name', target: '', mode: 0o644, uid: 0, gid: 0, type: 'x' }
  return Buffer.concat([
    block({ ...before, size: extended.length }),
    extended,
    paddingOf(extended.length),
    header,
  ])
}

/** `LENGTH KEY=VALUE\n`, where the length counts its own digits (POSIX pax). */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  let length = bytes + 1
  while (`${length}`.length + bytes !== length) length = `${length}`.length + bytes
  return Buffer.from(`${length}${rest}`)
}

interface Block {
  readonly path: string
  readonly target: string
  readonly size: number
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly type: string
}

/** One header of the format ustar (POSIX.1-1988). */
function block({ path, target, size, mode, uid, gid, type }: Block): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, width: number) =>
    header.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1')
  Buffer.from(path).copy(header, 0, 0, 100)
  octal(mode, 100, 8)
  octal(uid, 108, 8)
  octal(gid, 116, 8)
  octal(size, 124, 12)
  octal(MTIME_S, 136, 12)
  header.write('        ', 148, 'latin1')
  header.write(type, 156, 'latin1')
  Buffer.from(target).copy(header, 157, 0, 100)
  header.write('ustar\x0000', 257, 'latin1')
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  return header
}
