import { type Dirent, readdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from './tar.ts'

export interface TreeOptions {
  /** Where the folder appears in the image, without a slash at either end. The root without it. */
  readonly at?: string
  /** The mode of a file, by a rule: the image must not depend on the umask of the checkout. @default 0644 */
  readonly fileMode?: (path: string) => number
  /** Asked with the path below the folder. A folder that is left out is not read. */
  readonly keep?: (path: string, kind: 'folder' | 'file' | 'link') => boolean
}

/**
 * The content of a folder of this machine, as entries of a layer. They belong to root, folders have the mode 0755.
 * Neither the modes, the times, the owners nor the path of the folder have an influence.
 */
export function treeEntries(folder: string, options: TreeOptions = {}): Entry[] {
  const entries: Entry[] = options.at ? foldersTo(`${options.at}/.`) : []
  collect(folder, '', options, entries)
  return entries
}

/** The folders above a path, since a layer names each folder with its mode. */
export function foldersTo(path: string): Entry[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, at) => ({
    type: 'folder',
    path: names.slice(0, at + 1).join('/'),
    mode: 0o755,
  }))
}

function collect(folder: string, below: string, options: TreeOptions, entries: Entry[]): void {
  for (const found of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below === '' ? found.name : `${below}/${found.name}`
    const kind = kindOf(found)
    if (kind === undefined || options.keep?.(path, kind) === false) continue
    const goal = options.at ? `${options.at}/${path}` : path
    const real = join(folder, path)
    if (kind === 'folder') {
      entries.push({ type: 'folder', path: goal, mode: 0o755 })
      collect(folder, path, options, entries)
    } else if (kind === 'link') {
      entries.push({ type: 'link', path: goal, mode: 0o777, target: readlinkSync(real) })
    } else {
      const content = { file: real, size: statSync(real).size }
      entries.push({ type: 'file', path: goal, mode: options.fileMode?.(path) ?? 0o644, content })
    }
  }
}

/** Sockets and devices have no place in an image. */
function kindOf(found: Dirent): 'folder' | 'file' | 'link' | undefined {
  if (found.isDirectory()) return 'folder'
  if (found.isSymbolicLink()) return 'link'
  return found.isFile() ? 'file' : undefined
}
