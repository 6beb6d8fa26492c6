import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'

/** Older builds of a tool that are kept, since branches use different versions. */
const MAX_OLD_BUILDS = 3

/**
 * The folder of built and fetched tools: outside the checkout, so that other checkouts use them. It may be removed
 * at any time.
 */
const cacheFolder = (): string =>
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'svc', 'cluster-tools')

/** A hash of all files in a folder and its subfolders, and of the other inputs of a build. */
export async function contentKey(folder: string, ...more: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((each) => each.isFile())
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    hash.update(`${relative(folder, path)}\0`).update(await readFile(path))
  }
  for (const each of more) hash.update(`\0${each}`)
  return hash.digest('hex').slice(0, 16)
}

/** The folder of one version of a tool, created when missing. Removes the oldest other versions. */
export async function toolFolder(tool: string, key: string): Promise<string> {
  const home = join(cacheFolder(), tool)
  const folder = join(home, key)
  await mkdir(folder, { recursive: true })
  const versions = await Promise.all(
    (await readdir(home)).map(async (name) => {
      const path = join(home, name)
      return { path, usedMs: (await stat(path)).mtimeMs }
    }),
  )
  const others = versions
    .filter(({ path }) => path !== folder)
    .sort((one, other) => other.usedMs - one.usedMs)
  for (const { path } of others.slice(MAX_OLD_BUILDS))
    await rm(path, { recursive: true, force: true })
  return folder
}
