import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** Files below a folder, relative to it; build output and hidden files left out. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !file.split('/').includes('target'))

/**
 * Compares a folder with the list of hashes (in the format of sha256sum) that its build script
 * wrote: names every file that was changed, removed, or added since the build.
 */
export const changedSinceBuild = (
  folder: string,
  manifest: string,
  unlisted: string[],
): string[] => {
  const lines = readFileSync(join(folder, manifest), 'utf8').trimEnd().split('\n')
  const listed = new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
  const ignored = new Set([manifest, ...unlisted])
  const present = filesBelow(folder).filter((file) => !ignored.has(file))
  const missing = [...listed.keys()].filter((file) => !existsSync(join(folder, file)))
  const different = present.filter((file) => listed.get(file) !== sha256(join(folder, file)))
  return [...missing, ...different].sort()
}
