/** A clone of the project as a new user has it: its own state, so that other tests' demos are not found. */

import { cp, mkdtemp, rm, symlink, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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

/** With the installed packages of this clone. The path has a space and a quote. */
export async function cloneCopy(): Promise<CloneCopy> {
  const parent = await mkdtemp(join(tmpdir(), 'svc-clone-'))
  const folder = join(parent, "a reader's svc")
  for (const name of PARTS) {
    await cp(join(root, name), join(folder, name), { recursive: true })
  }
  // Older than the packages, so that make does not install them again.
  await utimes(join(folder, 'package-lock.json'), 0, 0)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return { folder, [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }) }
}
