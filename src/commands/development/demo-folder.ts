import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, lstatSync, readdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this project, whichever folder a command is typed in. */
const clone = fileURLToPath(new URL('../../..', import.meta.url))

/** npm replaces the folder of an installed package at any time: nothing that lasts is kept there. */
const isInstalled = clone.split(sep).includes('node_modules')

/**
 * Where this user keeps what belongs to this clone: in the clone; where that is read-only, another user's or
 * an installed package, in the home folder; where that is read-only too, among temporary files.
 */
function* ownFolders(): Generator<string> {
  if (!isInstalled) yield join(clone, '.svc')
  const name = createHash('sha256').update(clone).digest('hex').slice(0, 12)
  yield join(homedir(), '.local', 'state', 'svc', name)
  yield join(tmpdir(), `svc-${process.getuid?.() ?? 'user'}-${name}`)
}

/** Where a demo keeps its files without `--dir`. When none can be written, that of the clone: its error says why. */
export const demoFolder = (): string =>
  join([...ownFolders()].find(isWritable) ?? join(clone, '.svc'), 'demo')

/** Where a demo of this clone may run: the default folder first, then those beside it. */
export function demoFolders(): string[] {
  const folders = [...ownFolders()].filter(isOwn)
  const beside = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  const usual = folders.map((folder) => join(folder, 'demo'))
  return [...new Set([...usual, ...beside])].filter((folder) =>
    existsSync(join(folder, 'demo.json')),
  )
}

/** Whether this user owns the folder and can write to it, or can make it. */
function isWritable(folder: string): boolean {
  if (existsSync(folder)) return isOwn(folder) && mayWrite(folder)
  let above = dirname(folder)
  while (!existsSync(above)) above = dirname(above)
  return mayWrite(above)
}

/** Not so for a folder that another user has planted among temporary files. */
const isOwn = (folder: string): boolean =>
  lstatSync(folder, { throwIfNoEntry: false })?.uid === (process.getuid?.() ?? 0)

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
