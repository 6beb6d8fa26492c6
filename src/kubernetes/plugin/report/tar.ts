/* A tar archive in the ustar format of POSIX.1-1988, of regular files. */

export interface ArchivedFile {
  /** With slashes; ASCII. */
  readonly path: string
  readonly text: string
}

const BLOCK = 512
const NAME_LENGTH = 100
const PREFIX_LENGTH = 155

/** @param at of every file, in milliseconds since 1970. Throws a RangeError for a path that does not fit. */
export function tarOf(files: readonly ArchivedFile[], at: number): Buffer {
  const parts = files.flatMap(({ path, text }) => {
    const content = Buffer.from(text, 'utf8')
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)
    return [headerOf(path, content.length, at), content, padding]
  })
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

function headerOf(path: string, size: number, at: number): Buffer {
  const { prefix, name } = splitPath(path)
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, offset: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'ascii')
  header.write(name, 0, 'ascii')
  octal(0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(Math.floor(at / 1_000), 136, 12)
  header.write('0', 156, 'ascii')
  header.write('ustar\x0000', 257, 'ascii')
  header.write(prefix, 345, 'ascii')
  // The checksum counts its own field as spaces.
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii')
  return header
}

/** The last part in the name field, what comes before in the prefix field. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  if (path.length <= NAME_LENGTH) return { prefix: '', name: path }
  const slash = path.lastIndexOf('/')
  const [prefix, name] = [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)]
  if (prefix.length > PREFIX_LENGTH || name.length > NAME_LENGTH || name === '') {
    throw new RangeError(`${path} is too long for an archive`)
  }
  return { prefix, name }
}
