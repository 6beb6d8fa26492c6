/** A clone of the project as a new user has it: its own state, so that other tests' demos are not found. */

import { cp, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { FOLDER_VARIABLE } from './programs/program-path.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const PARTS = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'Makefile',
  'bin',
  'src',
  // Alone: that folder holds what its compiler wrote too.
  'contracts/upto/upto.wasm',
]

export interface CloneCopy extends AsyncDisposable {
  readonly folder: string
}

interface CloneOptions {
  /** Whether src/commands/svc.ts is the bundle of this run: each of its programs starts in a quarter of the time. @default false */
  readonly isBundled?: boolean
}

/** With the installed packages of this clone. The path has a space and a quote. */
export async function cloneCopy({ isBundled = false }: CloneOptions = {}): Promise<CloneCopy> {
  const parent = await mkdtemp(join(tmpdir(), 'svc-clone-'))
  const folder = join(parent, "a reader's svc")
  for (const name of PARTS) {
    await cp(join(root, name), join(folder, name), { recursive: true })
  }
  // Older than the packages, so that make does not install them again.
  await utimes(join(folder, 'package-lock.json'), 0, 0)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  if (isBundled) await useBundle(folder)
  return { folder, [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }) }
}

/** Gives the clone a bundle of its own, in which every path of this clone is one of the copy. */
async function useBundle(folder: string): Promise<void> {
  const programs = process.env[FOLDER_VARIABLE]
  if (programs === undefined) return
  const own = join(folder, '.programs')
  await cp(programs, own, { recursive: true })
  const url = (path: string) => pathToFileURL(path).href
  const paths = [
    [url(programs), url(own)],
    [url(`${root}src`), url(join(folder, 'src'))],
    [`${root}src`, join(folder, 'src')],
  ] as const
  for (const name of await readdir(own, { recursive: true })) {
    if (!name.endsWith('.js')) continue
    const code = await readFile(join(own, name), 'utf8')
    const moved = paths.reduce((text, [from, to]) => text.replaceAll(from, to), code)
    await writeFile(join(own, name), moved)
  }
  await writeFile(
    join(folder, 'src/commands/svc.ts'),
    "import '../../.programs/src/commands/svc.js'\n",
  )
}
