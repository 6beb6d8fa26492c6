/** SoftHSM from its Debian package, unpacked into the cache of this user without root. */
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inheritedEnvironment } from '../../platform/core/inherited-environment.ts'

const run = promisify(execFile)
const PACKAGE = 'libsofthsm2'

/** The folder may be removed at any time. */
const cache = (): string =>
  join(inheritedEnvironment()['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'svc', 'softhsm')

const libraryBelow = (folder: string): string | undefined =>
  globSync(join(folder, 'usr/lib/*/softhsm/libsofthsm2.so'))[0]

/** Absolute path of the library. apt checks the signature of its lists and the hash of the package. */
export async function fetchSoftHsm(): Promise<string> {
  const folder = join(cache(), process.arch)
  const cached = libraryBelow(folder)
  if (cached !== undefined) return cached
  await mkdir(cache(), { recursive: true })
  const work = await mkdtemp(`${folder}.unfinished-`)
  try {
    // apt writes as a user of its own, where there is one.
    await chmod(work, 0o755)
    await download(work)
    const [archive = ''] = globSync(join(work, '*.deb'))
    await run('dpkg-deb', ['-x', archive, join(work, 'root')])
    // Renamed, so that no other process ever uses an incomplete one, which may have been faster.
    await rename(join(work, 'root'), folder).catch((error: unknown) => {
      if (libraryBelow(folder) === undefined) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  const unpacked = libraryBelow(folder)
  if (unpacked === undefined) throw new Error(`${PACKAGE} has no libsofthsm2.so`)
  return unpacked
}

/** With the lists of the machine; one without lists fetches them into the folder. */
async function download(work: string): Promise<void> {
  try {
    await run('apt-get', ['download', PACKAGE], { cwd: work })
  } catch {
    const lists = join(work, 'lists')
    await mkdir(join(lists, 'partial'), { recursive: true })
    const options = [
      `Dir::State::lists=${lists}`,
      `Dir::Cache=${join(work, 'cache')}`,
      // The locks need root, and no other process writes to this folder.
      'Debug::NoLocking=1',
    ].flatMap((setting) => ['-o', setting])
    await run('apt-get', [...options, '-qq', 'update'])
    await run('apt-get', [...options, 'download', PACKAGE], { cwd: work })
  }
}
