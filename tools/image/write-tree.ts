import {
  chmodSync,
  copyFileSync,
  lchownSync,
  linkSync,
  mkdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Entry } from './tar.ts'

/** Writes what a layer holds into a folder, with modes, and with owners when root does it. */
export function writeTree(root: string, entries: readonly Entry[]): void {
  for (const entry of entries) {
    const path = writeEntry(root, entry, copyFileSync)
    if (process.getuid?.() === 0) lchownSync(path, entry.uid ?? 0, entry.gid ?? 0)
    // After the owner: a change of owner clears the bits beyond 0777.
    if (entry.type !== 'link') chmodSync(path, entry.mode)
  }
}

/** The same without copies where links are possible, and so without modes: to run programs in, not to keep. */
export function linkTree(root: string, entries: readonly Entry[]): void {
  for (const entry of entries) writeEntry(root, entry, linkOrCopy)
}

function writeEntry(
  root: string,
  entry: Entry,
  take: (file: string, path: string) => void,
): string {
  const path = join(root, entry.path)
  mkdirSync(entry.type === 'folder' ? path : dirname(path), { recursive: true })
  if (entry.type === 'link') symlinkSync(entry.target, path)
  if (entry.type === 'file') {
    const { content, mode } = entry
    if (content instanceof Uint8Array) writeFileSync(path, content, { mode })
    else take(content.file, path)
  }
  return path
}

/** A link needs both on one file system. */
function linkOrCopy(file: string, path: string): void {
  try {
    linkSync(file, path)
  } catch {
    copyFileSync(file, path)
  }
}
