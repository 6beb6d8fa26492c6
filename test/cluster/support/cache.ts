import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Old builds of a tool that are kept beside the newest: branches go back and forth. */
const KEPT = 3

/**
 * Where built and fetched tools live: outside the checkout, so that a fresh one finds them.
 * `XDG_CACHE_HOME` moves it; removing it costs only the time to build again.
 */
export const cacheFolder = (): string =>
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'svc', 'cluster-tools')

/** One string for the content of all files in a folder, and for whatever else decides a build. */
export async function contentKey(folder: string, ...more: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(folder)).sort()) {
    hash.update(`${name}\0`).update(await readFile(join(folder, name)))
  }
  for (const each of more) hash.update(`\0${each}`)
  return hash.digest('hex').slice(0, 16)
}

/** The folder of one version of a tool, made if need be; removes the oldest others. */
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
  for (const { path } of others.slice(KEPT)) await rm(path, { recursive: true, force: true })
  return folder
}
